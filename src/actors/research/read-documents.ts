import { sha256Hex } from '../../domain/common/hash.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';
import { canonicalizeUrl } from '../../domain/news/story.ts';
import { cleanText } from '../../domain/page/clean-text.ts';
import {
  DOCUMENT_CHARS_MAX,
  type DocumentKind,
  type DocumentsRead,
  type ResearchDocument,
  SearchFound,
} from '../../domain/research/document.ts';
import type { FoundDocument } from '../../domain/research/document-search.ts';
import { DEPTHS, type ResearchRequest } from '../../domain/research/request.ts';
import type { StepContext, StepResults } from '../report/report-kind.ts';
import type { ResearchPorts } from './research-ports.ts';

/**
 * Maximum number of the caller's pages read concurrently, because parsing a page occupies a thread.
 */
const PAGE_CONCURRENCY = 3;
/** Source name of the caller's URLs. */
export const WEB_SOURCE = 'web';

/** Returns the step id of one search. */
export function searchStepId(search: string): string {
  return `search:${search}`;
}

interface DocumentTask {
  readonly source: string;
  readonly kind: DocumentKind;
  readonly url: string;
  read(): Promise<SourceReading<RawDocument>>;
}

interface RawDocument {
  readonly title: string;
  readonly publishedAt: string | null;
  readonly text: string;
  readonly hiddenElements: number;
}

/** Reads the caller's URLs and the search results, each document once. */
export async function readDocuments(
  request: ResearchRequest,
  ports: ResearchPorts,
  { earlier, deadline, signal, progress }: StepContext<never>,
): Promise<DocumentsRead> {
  const limits = { deadline, signal };
  const errands = createTasks(request, ports, { earlier, limits });
  const readings = new Map<DocumentTask, SourceReading<RawDocument>>();
  await Promise.all(
    groupIntoLanes(errands).map(async (lane) => {
      for (const errand of lane) {
        if (signal.aborted) return;
        readings.set(errand, await errand.read());
        progress(`${readings.size} of ${errands.length} documents`);
      }
    }),
  );
  return createDocuments(errands, readings);
}

interface TaskInputs {
  readonly earlier: StepResults;
  readonly limits: ReadLimits;
}

function createTasks(
  { urls, depth }: ResearchRequest,
  { searches, pages }: ResearchPorts,
  { earlier, limits }: TaskInputs,
): readonly DocumentTask[] {
  const named: DocumentTask[] = urls.map((url) => ({
    source: WEB_SOURCE,
    kind: 'page',
    url,
    read: async () => {
      const reading = await pages.read(url, limits.deadline);
      if (!reading.ok) return reading;
      const { title, publishedAt, text, hiddenElements } = reading.value;
      const value = { title: title ?? url, publishedAt, text, hiddenElements };
      return { ok: true, source: reading.source, value };
    },
  }));
  const lists = searches.map((search) => {
    const { id: source, kind } = search;
    return readSearchHits(source, earlier).map((found) => ({
      source,
      kind,
      url: found.url,
      read: async () => {
        const reading = await search.read(found, limits);
        if (!reading.ok) return reading;
        const { title, publishedAt } = found;
        const value = { title, publishedAt, text: reading.value, hiddenElements: 0 };
        return { ok: true as const, source: reading.source, value };
      },
    }));
  });
  const together = deduplicate([...named, ...interleave(lists)]);
  return together.slice(0, named.length + DEPTHS[depth].together);
}

/** Returns the results of one search; empty if its step failed. */
export function readSearchHits(search: string, earlier: StepResults): readonly FoundDocument[] {
  const end = earlier[searchStepId(search)];
  return end?.state === 'done' ? SearchFound.parse(end.value).found : [];
}

function interleave<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const places = Array.from({ length: longest }, (_, place) => place);
  return places.flatMap((place) => lists.flatMap((list) => list.slice(place, place + 1)));
}

function deduplicate(errands: readonly DocumentTask[]): readonly DocumentTask[] {
  const known = new Map<string, DocumentTask>();
  for (const errand of errands) {
    const key = canonicalizeUrl(errand.url);
    if (!known.has(key)) known.set(key, errand);
  }
  return [...known.values()];
}

/**
 * Groups reads into lanes that run in parallel: one per source, and several for the caller's pages.
 */
function groupIntoLanes(errands: readonly DocumentTask[]): readonly (readonly DocumentTask[])[] {
  const lanes = new Map<string, DocumentTask[]>();
  for (const [at, errand] of errands.entries()) {
    const lane =
      errand.source === WEB_SOURCE ? `${WEB_SOURCE} ${at % PAGE_CONCURRENCY}` : errand.source;
    lanes.set(lane, [...(lanes.get(lane) ?? []), errand]);
  }
  return [...lanes.values()];
}

function createDocuments(
  errands: readonly DocumentTask[],
  readings: ReadonlyMap<DocumentTask, SourceReading<RawDocument>>,
): DocumentsRead {
  const documents: ResearchDocument[] = [];
  const faults: DataFailure[] = [];
  const unread: string[] = [];
  const removed = { invisibleCharacters: 0, hiddenElements: 0 };
  const clean = (text: string): string => {
    const { text: shown, removed: counts } = cleanText(text.normalize());
    removed.invisibleCharacters += Object.values(counts).reduce((sum, count) => sum + count, 0);
    return shown.trim();
  };
  for (const errand of errands) {
    const reading = readings.get(errand);
    if (reading?.ok !== true) {
      if (reading !== undefined) faults.push(reading.fault);
      if (errand.source === WEB_SOURCE) unread.push(errand.url);
      continue;
    }
    const { value, source: facts } = reading;
    const whole = clean(value.text);
    const text = truncateText(whole);
    if (text === '') continue;
    removed.hiddenElements += value.hiddenElements;
    documents.push({
      id: `d${documents.length + 1}`,
      source: errand.source,
      kind: errand.kind,
      url: errand.url,
      title: clean(value.title).slice(0, 300),
      publishedAt: value.publishedAt,
      text,
      textSha256: sha256Hex(text),
      isCut: text.length < whole.length,
      facts,
    });
  }
  return { documents, faults, unread, removed };
}

/** Truncates a text without splitting a surrogate pair. */
function truncateText(text: string): string {
  const piece = text.slice(0, DOCUMENT_CHARS_MAX);
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.slice(0, -1) : piece;
}
