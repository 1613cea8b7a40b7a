import type { DataFault } from '../data/fault.ts';
import type { SourceFacts } from '../data/source.ts';
import type { Reading } from '../data/upstreams.ts';
import type { ReadLimits } from '../filing/filings.ts';
import type { DocumentKind } from './document.ts';

/** What is looked for, in the forms that searches take. */
export interface DocumentQuery {
  /** The words as somebody would type them. */
  readonly text: string;
  /** Words that a document holds all of. */
  readonly must: readonly string[];
  /** Words of which it holds some; none where there is no question beside the topic. */
  readonly any: readonly string[];
}

/** A search for documents: the first query is the topic, each further one a question. */
export interface DocumentOrder {
  readonly queries: readonly DocumentQuery[];
  /** Documents at the most, over all queries. */
  readonly most: number;
}

/** A document that a search has named. Every word of it is a stranger's. */
export interface FoundDocument {
  readonly url: string;
  readonly title: string;
  /** RFC 3339, or only its day, month or year; `null` where it is not said. */
  readonly publishedAt: string | null;
  /** Its text, where the search's own answer holds it. */
  readonly body: { readonly text: string; readonly source: SourceFacts } | null;
  /** Words that it was found by, where only the parts of it that hold them are read. */
  readonly about?: string | undefined;
}

/** What a search found, the best first, and which of its queries came to nothing. */
export interface FoundDocuments {
  readonly found: readonly FoundDocument[];
  readonly faults: readonly DataFault[];
}

/** A place that documents are searched in and read from. None of it throws for what it does. */
export interface DocumentSearch {
  readonly id: string;
  readonly kind: DocumentKind;
  readonly title: string;
  /** Variables that are missing for it to answer at all. */
  readonly missing: readonly string[];
  search(order: DocumentOrder, limits: ReadLimits): Promise<FoundDocuments>;
  /** The text of a document that this search has found. */
  read(found: FoundDocument, limits: ReadLimits): Promise<Reading<string>>;
}
