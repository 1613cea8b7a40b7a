import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { FilingDocument, Filings, ReadLimits } from '../../domain/filing/filings.ts';
import { filingFolder, normalizeTicker } from '../../domain/filing/forms.ts';
import { CONCEPTS, type TaggedFact } from '../../domain/filing/period-facts.ts';
import { runInThread } from '../data/run-in-thread.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';
import { parseFilingList, parseMentions, parseOlderFilings } from './submissions.ts';

/** Time limit for parsing one large answer, in milliseconds. */
export const PARSE_TIMEOUT_MS = 15 * SECOND_MS;
/** Most characters of a document. */
const DOCUMENT_CHARS_MAX = 3_000_000;
/** Most tagged facts of a company. */
const FACTS_MAX = 20_000;
const WORKER = 'providers/filing/filing-worker.mjs';

/** The dependencies of the filings reader. */
export interface EdgarDeps {
  readonly reader: UpstreamReader;
  readonly clock: Clock;
  /** Contact address of the operator. The regulator requires one. */
  readonly contact: string | undefined;
}

/** Creates the reader of filings at the US securities regulator, from its public APIs. */
export function createEdgarFilings({ reader, clock, contact }: EdgarDeps): Filings {
  const at = (upstream: UpstreamId, path: string, { deadline, signal }: ReadLimits) => ({
    upstream,
    path,
    deadline,
    signal,
  });
  return {
    missing: contact?.includes('@') === true ? [] : ['STOA_OPERATOR_EMAIL'],
    findCik: (ticker, limits) =>
      reader.read(at('secfiles', '/files/company_tickers.json', limits), (answer) =>
        parseCik(answer, ticker),
      ),
    list: (cik, limits) =>
      reader.read(at('secdata', `/submissions/CIK${cik}.json`, limits), (answer) =>
        parseOr(answer, parseFilingList, `No filer has the CIK ${cik}.`),
      ),
    listOlder: (name, limits) =>
      reader.read(at('secdata', `/submissions/${name}`, limits), (answer) =>
        parseOr(answer, parseOlderFilings, 'This page of filings does not exist.'),
      ),
    readFacts: (cik, accessions, limits) =>
      reader.read(at('secdata', `/api/xbrl/companyfacts/CIK${cik}.json`, limits), (answer) =>
        parseFacts(clock, answer, accessions),
      ),
    readDocument: ({ cik, filing, hasText }, limits) => {
      const path = `${filingFolder(cik, filing.accession)}/${filing.primaryDocument ?? ''}`;
      return reader.read(at('secfiles', path, limits), (answer) =>
        parseDocument(clock, answer, hasText),
      );
    },
    searchMentions: (order, limits) => {
      const query = new URLSearchParams({
        q: [order.phrase, ...(order.beside ?? [])].map((words) => `"${words}"`).join(' '),
        forms: order.forms.join(','),
        ...(order.cik === undefined ? {} : { ciks: order.cik }),
        ...dateRange(order),
      });
      const path = `/LATEST/search-index?${query.toString()}`;
      return reader.read(at('secsearch', path, limits), (answer) =>
        parseOr(answer, parseMentions, 'The search returned no results.'),
      );
    },
  };
}

/** Returns the date range of a search. Without `until`, there is no range. */
function dateRange({
  since,
  until,
}: Parameters<Filings['searchMentions']>[0]): Record<string, string> {
  if (until === undefined) return {};
  return { dateRange: 'custom', startdt: since ?? '2001-01-01', enddt: until };
}

const Tickers = z.record(
  z.string(),
  z.object({ cik_str: z.int().positive(), ticker: z.string(), title: z.string() }),
);

function parseCik(answer: UpstreamAnswer, ticker: string): Parsed<string> {
  const rows = Tickers.safeParse(answer.json()).data;
  if (answer.status !== 200 || rows === undefined) return badPayload(answer);
  const row = Object.values(rows).find((one) => one.ticker === normalizeTicker(ticker));
  if (row !== undefined) return { value: String(row.cik_str).padStart(10, '0') };
  return { fault: 'unknown_symbol', why: `No filer has the ticker ${ticker}.` };
}

function parseOr<T>(
  answer: UpstreamAnswer,
  read: (body: unknown) => T | undefined,
  absent: string,
): Parsed<T> {
  if (answer.status === 404) return { fault: 'not_found', why: absent };
  const value = answer.status === 200 ? read(answer.json()) : undefined;
  return value === undefined ? badPayload(answer) : { value };
}

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const Facts = z
  .array(
    z.object({
      concept: z.string(),
      unit: z.string(),
      start: Day.nullable(),
      end: Day,
      value: z.string(),
      accession: z.string(),
      form: z.string(),
      filed: Day,
      frame: z.string().nullable(),
    }),
  )
  .max(FACTS_MAX);

async function parseFacts(
  clock: Clock,
  answer: UpstreamAnswer,
  accessions: readonly string[],
): Promise<Parsed<readonly TaggedFact[]>> {
  if (answer.status === 404) {
    return { fault: 'not_found', why: 'The regulator has no XBRL data for this filer.' };
  }
  if (answer.status !== 200) return badPayload(answer);
  return runInThread(clock, {
    program: { module: WORKER, name: 'readFacts' },
    data: { body: answer.body, concepts: CONCEPTS, accessions, factsMax: FACTS_MAX },
    answer: Facts,
    timeMs: PARSE_TIMEOUT_MS,
  });
}

async function parseDocument(
  clock: Clock,
  answer: UpstreamAnswer,
  hasText: boolean,
): Promise<Parsed<FilingDocument>> {
  if (answer.status === 404) return { fault: 'not_found', why: 'The document does not exist.' };
  if (answer.status !== 200 || answer.body.byteLength === 0) return badPayload(answer);
  if (!hasText) return { value: { text: null } };
  const read = await runInThread(clock, {
    program: { module: WORKER, name: 'readDocument' },
    data: { body: answer.body, charsMax: DOCUMENT_CHARS_MAX },
    answer: z.string().max(DOCUMENT_CHARS_MAX),
    timeMs: PARSE_TIMEOUT_MS,
  });
  return 'value' in read ? { value: { text: read.value } } : read;
}

function badPayload({ status }: UpstreamAnswer): Parsed<never> {
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without the expected content.` };
}
