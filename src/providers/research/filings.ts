import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { Filings, Mention } from '../../domain/filing/filings.ts';
import { stemWord } from '../../domain/news/topic.ts';
import type {
  DocumentQuery,
  DocumentSearch,
  FoundDocument,
} from '../../domain/research/document-search.ts';

/** Share of the words that a line must contain. */
const WORDS_SHARE = 0.6;

/** Most filings read per search: each may have several megabytes. */
export const FILINGS_MAX = 4;
/** Longest topic that is searched as a phrase, in words. A longer one is reduced to key words. */
export const PHRASE_WORDS_MAX = 4;
const NAME = 'filings';
/** Forms in which companies describe their business and risks in detail. */
const FORMS = ['10-K', '20-F', '8-K', 'S-1'];
const DOCUMENT_URL =
  /\/Archives\/edgar\/data\/(\d{1,10})\/(\d{10})(\d{2})(\d{6})\/([\w.-]{1,120})$/;

/** Creates the search for topics in filings at the US securities regulator since 2001. */
export function createFilingSearch(filings: Filings): DocumentSearch {
  return {
    id: NAME,
    kind: 'filing',
    title: 'SEC filings',
    missing: filings.missing,
    search: async ({ queries: [topic], most }, limits) => {
      if (topic === undefined) return { found: [], faults: [] };
      const reading = await filings.searchMentions(
        { ...toSearchTerms(topic), forms: FORMS },
        limits,
      );
      if (!reading.ok) return { found: [], faults: [reading.fault] };
      const found = firstPerFiler(reading.value.found).map((mention) => toDocument(mention, topic));
      return { found: found.slice(0, Math.min(most, FILINGS_MAX)), faults: [] };
    },
    read: async ({ url, about = '' }, limits) => {
      const [, cik = '', ...parts] = DOCUMENT_URL.exec(url) ?? [];
      const [filer, year, number, primaryDocument = ''] = parts;
      if (primaryDocument === '') return documentNotFound(url);
      const filing = { accession: `${filer}-${year}-${number}`, primaryDocument };
      const reading = await filings.readDocument({ cik, filing, hasText: true }, limits);
      if (!reading.ok) return reading;
      return { ...reading, value: selectLines(reading.value.text ?? '', about.split(' ')) };
    },
  };
}

function toSearchTerms({ text, must }: DocumentQuery): {
  readonly phrase: string;
  readonly beside?: readonly string[];
} {
  if (text.split(' ').length <= PHRASE_WORDS_MAX) return { phrase: text };
  const [phrase = text, ...beside] = must;
  return { phrase, beside };
}

/** Returns the first mention of each filer: ten annual reports of one company repeat themselves. */
function firstPerFiler(mentions: readonly Mention[]): readonly Mention[] {
  const known = new Map<string, Mention>();
  for (const mention of mentions) {
    if (DOCUMENT_URL.test(mention.url) && !known.has(mention.filer))
      known.set(mention.filer, mention);
  }
  return [...known.values()];
}

function toDocument({ filer, form, filed, url }: Mention, { must }: DocumentQuery): FoundDocument {
  const name = filer
    .replaceAll(/\(CIK \d+\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return {
    url,
    title: `${name}: form ${form} of ${filed}`,
    publishedAt: filed,
    body: null,
    about: must.join(' '),
  };
}

function documentNotFound(url: string): SourceReading<string> {
  const detail = `No filing document exists at ${url}`.slice(0, 200);
  const fault = { upstream: NAME, code: 'not_found' as const, retryable: false, detail };
  return { ok: false, fault };
}

/** Returns the lines of a long text that contain most of the words, or all lines if none does. */
export function selectLines(text: string, words: readonly string[]): string {
  const stems = words.map(stemWord).filter((stem) => stem !== '');
  const least = Math.ceil(stems.length * WORDS_SHARE);
  const lines = text.split('\n').filter((line) => {
    const lowerLine = line.toLowerCase();
    return stems.filter((stem) => lowerLine.includes(stem)).length >= least;
  });
  return lines.length === 0 ? text : lines.join('\n');
}
