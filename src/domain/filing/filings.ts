import type { Reading } from '../data/upstreams.ts';
import type { TaggedFact } from './facts.ts';
import type { Filer, ListedFiling } from './forms.ts';

/** Until when an answer must be there, and what ends the waiting. */
export interface ReadLimits {
  /** Milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** The filings of one filer, as listed. */
export interface FilingList {
  readonly filer: Filer;
  readonly recent: readonly ListedFiling[];
  /** Pages of older filings, the newest first. Days are `YYYY-MM-DD`. */
  readonly older: readonly { readonly name: string; readonly to: string }[];
}

/** A place in a filing where a phrase stands. */
export interface Mention {
  readonly accession: string;
  readonly form: string;
  /** `YYYY-MM-DD`. */
  readonly filed: string;
  readonly filer: string;
  /** Address of the document. */
  readonly url: string;
}

/** A document of a filing. Its source carries size and hash of the exact bytes. */
export interface FilingDocument {
  /** Only where it was asked for: what it shows, as lines. A stranger's words. */
  readonly text: string | null;
}

/** Filings of companies with the securities regulator. None of it throws for what it does. */
export interface Filings {
  /** Variables that are missing for it to answer at all. */
  readonly missing: readonly string[];
  /** @returns The number of the filer, ten digits. */
  cikOf(ticker: string, limits: ReadLimits): Promise<Reading<string>>;
  list(cik: string, limits: ReadLimits): Promise<Reading<FilingList>>;
  older(name: string, limits: ReadLimits): Promise<Reading<readonly ListedFiling[]>>;
  /** Tagged figures of these filings alone. */
  facts(
    cik: string,
    accessions: readonly string[],
    limits: ReadLimits,
  ): Promise<Reading<readonly TaggedFact[]>>;
  document(
    order: {
      readonly cik: string;
      readonly filing: Pick<ListedFiling, 'accession' | 'primaryDocument'>;
      readonly hasText: boolean;
    },
    limits: ReadLimits,
  ): Promise<Reading<FilingDocument>>;
  /** Where a phrase stands in filings since 2001. */
  mentions(
    order: {
      readonly phrase: string;
      /** Words that stand anywhere in the same filing. */
      readonly beside?: readonly string[];
      readonly cik?: string;
      readonly forms: readonly string[];
      readonly since?: string | undefined;
      /** `YYYY-MM-DD`; absent: no range, and `since` does not count. */
      readonly until?: string;
    },
    limits: ReadLimits,
  ): Promise<Reading<{ readonly total: number; readonly found: readonly Mention[] }>>;
}
