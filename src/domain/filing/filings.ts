import type { SourceReading } from '../data/upstreams.ts';
import type { Filer, ListedFiling } from './forms.ts';
import type { TaggedFact } from './period-facts.ts';

/** Deadline of a read, and the signal that aborts it. */
export interface ReadLimits {
  /** Time in milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** The listed filings of one filer. */
export interface FilingList {
  readonly filer: Filer;
  readonly recent: readonly ListedFiling[];
  /** Pages of older filings, newest first. Dates are `YYYY-MM-DD`. */
  readonly older: readonly { readonly name: string; readonly to: string }[];
}

/** An occurrence of a phrase in a filing. */
export interface Mention {
  readonly accession: string;
  readonly form: string;
  /** `YYYY-MM-DD`. */
  readonly filed: string;
  readonly filer: string;
  /** URL of the document. */
  readonly url: string;
}

/** A document of a filing. Its source has size and hash of the exact bytes. */
export interface FilingDocument {
  /** Visible text as lines, if requested; otherwise `null`. Untrusted. */
  readonly text: string | null;
}

/** Company filings at the securities regulator. Methods return failures instead of throwing. */
export interface Filings {
  /** Environment variables that are missing for it to work. */
  readonly missing: readonly string[];
  /** @returns The filer number, ten digits. */
  findCik(ticker: string, limits: ReadLimits): Promise<SourceReading<string>>;
  list(cik: string, limits: ReadLimits): Promise<SourceReading<FilingList>>;
  listOlder(name: string, limits: ReadLimits): Promise<SourceReading<readonly ListedFiling[]>>;
  /** Returns the tagged values of the given filings only. */
  readFacts(
    cik: string,
    accessions: readonly string[],
    limits: ReadLimits,
  ): Promise<SourceReading<readonly TaggedFact[]>>;
  readDocument(
    order: {
      readonly cik: string;
      readonly filing: Pick<ListedFiling, 'accession' | 'primaryDocument'>;
      readonly hasText: boolean;
    },
    limits: ReadLimits,
  ): Promise<SourceReading<FilingDocument>>;
  /** Searches for a phrase in filings since 2001. */
  searchMentions(
    order: {
      readonly phrase: string;
      /** Words that must occur anywhere in the same filing. */
      readonly beside?: readonly string[];
      readonly cik?: string;
      readonly forms: readonly string[];
      readonly since?: string | undefined;
      /** `YYYY-MM-DD`. If absent, there is no date range and `since` is ignored. */
      readonly until?: string;
    },
    limits: ReadLimits,
  ): Promise<SourceReading<{ readonly total: number; readonly found: readonly Mention[] }>>;
}
