import { z } from 'zod';
import { type FilingsRead, readFilings } from '../../actors/filing/read-filings.ts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { envelopeOf } from '../../domain/data/envelope.ts';
import type { DataFault } from '../../domain/data/fault.ts';
import { SourceList } from '../../domain/data/source.ts';
import { instantText } from '../../domain/data/value.ts';
import type { Filings, ReadLimits } from '../../domain/filing/filings.ts';
import { FORMS } from '../../domain/filing/forms.ts';
import { FilingsReport } from '../../domain/filing/report.ts';
import { isOfItem } from '../../domain/filing/sections.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { type DataToolDeps, dataAnswer } from '../data/data-answer.ts';
import { READS_OUTSIDE } from '../service/annotations.ts';
import { wordFilings } from './filings-answer.ts';

/** Milliseconds for everything that is read for one call. */
export const FILINGS_MS = 45 * SECOND_MS;
const NAME = 'data_sec-edgar-filing';
const PARTS = ['facts', 'documents', 'sections'] as const;

const Day = z.iso.date();
const Input = z.strictObject({
  ticker: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9./-]{0,9}$/)
    .optional()
    .describe('Such as AAPL or BRK-B. Either this or cik.'),
  cik: z
    .string()
    .regex(/^\d{1,10}$/)
    .optional()
    .describe('Number of the filer, such as 320193.'),
  forms: z.array(z.enum(FORMS)).min(1).max(FORMS.length).default(['10-K', '10-Q', '8-K']),
  amendments: z.boolean().default(false).describe('Whether forms ending in /A count as well.'),
  since: Day.optional().describe('Filed on that day or later.'),
  limit: z.int().min(1).max(20).default(3),
  include: z
    .array(z.enum(PARTS))
    .max(PARTS.length)
    .default(['facts', 'documents'])
    .describe('facts: figures of the period. documents: hashes. sections: text of the newest.'),
  items: z
    .array(z.string().regex(/^((I{1,3}|IV)\.)?\d{1,2}([A-K]|\.\d{2})?$/))
    .max(20)
    .default([])
    .describe('Items whose text is wanted: 1A, 2.02, or with its part II.1A. Empty: all of them.'),
  phrase: z
    .string()
    .min(3)
    .max(100)
    .regex(/^[^"\\]+$/)
    .optional()
    .describe('Also searched word for word in all that this filer filed since 2001.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Lists recent filings of a company with the United States securities regulator, 10-K, 10-Q and',
  '8-K unless you say otherwise, with the figures of exactly the period that each reports on (a',
  'filing repeats those of earlier periods; they are not mistaken for them), with unit, days of',
  'the period and accession number on every figure, and the SHA-256 of the exact bytes of the main',
  'document under a signature, so that a later change shows. Amendments stand apart. Sections are',
  'texts of strangers between marked lines. Where nothing could be read, nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface FilingsToolDeps extends DataToolDeps {
  readonly filings: Filings;
}

/** The tool that reads filings with the securities regulator. */
export function edgarFilingTool(deps: FilingsToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Securities filings of a company',
    description: DESCRIPTION,
    annotations: READS_OUTSIDE,
    input: Input,
    output: envelopeOf(FilingsReport),
    price: { amount: toText(microUsd('0.05')), flow: 'authorization' },
    ready: (input) => {
      checkInput(input, deps.filings);
      return undefined;
    },
    run: (input, context) => run(input, context, deps),
  };
}

function checkInput({ ticker, cik }: Input, { missing }: Filings): void {
  if ((ticker === undefined) === (cik === undefined)) {
    throw new AppError('INPUT_INVALID', {
      message: 'A filer is named by its ticker or by its number, and not by both.',
      data: { path: 'ticker', received: { ticker, cik }, allowed: ['ticker', 'cik'] },
    });
  }
  const [variable] = missing;
  if (variable === undefined) return;
  throw new AppError('NOT_CONFIGURED', {
    message: `The regulator answers only those who say who they are: set ${variable}.`,
    data: { variable },
  });
}

async function run(input: Input, context: ToolContext, deps: FilingsToolDeps): Promise<ToolResult> {
  const { clock, filings } = deps;
  const limits = { deadline: clock.now() + FILINGS_MS };
  const sources = new SourceList();
  const named = await cikOf(input, filings, limits);
  if ('fault' in named) return nothing(input, context, deps, [named.fault]);
  const { cik } = named;
  const [read, mentions] = await Promise.all([
    readFilings(filings, orderOf(input, cik), limits),
    readMentions({ input, cik }, deps, limits),
  ]);
  if (!('filer' in read)) return nothing(input, context, deps, read.faults);
  if (named.source !== null) sources.idOf(named.source);
  const nonce = sha256Hex(`${context.paymentId ?? ''} ${read.filerSource.sha256}`).slice(0, 24);
  const wording = { sources, now: clock.now(), nonce, items: input.items };
  const worded = wordFilings(read, wording);
  const items = input.items.map((item) => `item:${item}`);
  const asked = [...read.asked, ...items, ...(input.phrase === undefined ? [] : ['phrase'])];
  const missing = [
    ...read.missing,
    ...findMissingItems(input, read).map((item) => `item:${item}`),
    ...(mentions?.ok === false ? ['phrase'] : []),
  ];
  const data: FilingsReport = { ...worded, mentions: wordMentions(input, mentions, sources) };
  return dataAnswer(deps, context, {
    tool: NAME,
    headline: headlineOf(read),
    lines: linesOf(data),
    data: data as unknown as JsonObject,
    sources: sources.records(),
    coverage: { asked: asked.length, answered: asked.length - missing.length, missing },
    faults: [...read.faults, ...(mentions?.ok === false ? [mentions.fault] : [])],
    method: METHOD,
    disclaimer:
      'What a filer says is the filer’s. The hash says that it was there, not that it is true.',
  });
}

const METHOD = {
  period: 'figures that stand in the filing itself, end with its period, and have its length',
  tags: 'us-gaap, ifrs-full; the whole of a metric, or ambiguous where tags contradict each other',
  net_income: 'with the share of minorities; net_income_of_parent without it, where they differ',
  long_term_debt: 'with what is due within a year, where it is tagged',
  hash: 'SHA-256 of the primary document as the regulator serves it',
  sections: 'cut at item heads, by part; of heads of one item, the one with the most text',
};

/** Items that were asked for and that no section is of. */
function findMissingItems({ items }: Input, { filings }: FilingsRead): readonly string[] {
  const sections = filings.flatMap(({ document }) => document?.sections ?? []);
  return items.filter((item) => !sections.some((section) => isOfItem(section, item)));
}

async function cikOf({ ticker, cik }: Input, filings: Filings, limits: ReadLimits) {
  if (ticker === undefined) return { cik: (cik ?? '').padStart(10, '0'), source: null };
  const reading = await filings.cikOf(ticker, limits);
  return reading.ok ? { cik: reading.value, source: reading.source } : { fault: reading.fault };
}

function orderOf({ forms, amendments, since, limit, include, items }: Input, cik: string) {
  return {
    cik,
    choice: { forms, amendments, since, limit },
    hasFacts: include.includes('facts'),
    hasDocuments: include.includes('documents'),
    hasSections: include.includes('sections') || items.length > 0,
  };
}

type Mentions = Awaited<ReturnType<Filings['mentions']>> | undefined;

async function readMentions(
  { input, cik }: { readonly input: Input; readonly cik: string },
  { filings, clock }: FilingsToolDeps,
  limits: ReadLimits,
): Promise<Mentions> {
  const { phrase, since, forms } = input;
  if (phrase === undefined) return undefined;
  const until = instantText(clock.now()).slice(0, 10);
  return filings.mentions({ phrase, cik, forms, since, until }, limits);
}

function wordMentions(
  { phrase = '' }: Input,
  mentions: Mentions,
  sources: SourceList,
): FilingsReport['mentions'] {
  if (mentions?.ok !== true) return null;
  const { total, found } = mentions.value;
  const rows = found.map(({ accession, form, filed, url }) => ({ accession, form, filed, url }));
  return { phrase, total, found: rows, cited: sources.idOf(mentions.source) };
}

function headlineOf({ filer, filings }: FilingsRead): string {
  if (filings.length === 0) return `${filer.name} (CIK ${filer.cik}) has no such filings.`;
  return `${filings.length} filings of ${filer.name} (CIK ${filer.cik}), the newest first.`;
}

function linesOf({ filings }: FilingsReport): readonly string[] {
  return filings.flatMap(({ form, filing_date: filed, report_date: on, accession, ...read }) => {
    const hash = read.document?.sha256 ?? null;
    const seen = hash === null ? 'document not read' : `SHA-256 ${hash}`;
    const doubts = read.facts_missing.filter(({ why }) => why === 'ambiguous');
    return [
      `${form} filed ${filed}${on === null ? '' : ` on ${on}`}, ${accession}: ${seen}`,
      ...doubts.map(({ metric, candidates }) => {
        const values = candidates.map(({ concept, value, unit }) => `${concept} ${value} ${unit}`);
        return `${metric} is ambiguous in ${accession}: ${values.join(', ')}`;
      }),
    ];
  });
}

function nothing(
  { ticker, cik }: Input,
  context: ToolContext,
  deps: FilingsToolDeps,
  faults: readonly DataFault[],
): ToolResult {
  return dataAnswer(deps, context, {
    tool: NAME,
    headline: `There is no answer about ${ticker ?? cik ?? ''}.`,
    data: null,
    sources: [],
    coverage: { asked: 1, answered: 0, missing: ['filings'] },
    faults,
    method: METHOD,
  });
}
