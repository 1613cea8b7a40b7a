import type { DataFailure } from '../data/data-failure.ts';
import type { UnnumberedSource } from '../data/source.ts';
import type { SourceReading } from '../data/upstreams.ts';
import type { ReadLimits } from '../filing/filings.ts';
import type { DocumentKind } from './document.ts';

/** A query in the forms that search APIs accept. */
export interface DocumentQuery {
  /** The words as a person would type them. */
  readonly text: string;
  /** Words that a document must contain. */
  readonly must: readonly string[];
  /**
   * Words of which a document must contain some; empty if there is no question besides the topic.
   */
  readonly any: readonly string[];
}

/** A document search. The first query is the topic, each further one a question. */
export interface SearchOrder {
  readonly queries: readonly DocumentQuery[];
  /** Maximum number of documents over all queries. */
  readonly most: number;
}

/** A search result. All of its text is untrusted. */
export interface FoundDocument {
  readonly url: string;
  readonly title: string;
  /** RFC 3339, or only its day, month or year; `null` if unknown. */
  readonly publishedAt: string | null;
  /** The text of the document, if the search response contains it. */
  readonly body: { readonly text: string; readonly source: UnnumberedSource } | null;
  /** Search words, if only the matching parts of the document are read. */
  readonly about?: string | undefined;
}

/** Search results, best first, and the errors of failed queries. */
export interface FoundDocuments {
  readonly found: readonly FoundDocument[];
  readonly faults: readonly DataFailure[];
}

/** A source of documents. Failures of the source are returned, never thrown. */
export interface DocumentSearch {
  readonly id: string;
  readonly kind: DocumentKind;
  readonly title: string;
  /** Missing environment variables without which it cannot respond. */
  readonly missing: readonly string[];
  search(order: SearchOrder, limits: ReadLimits): Promise<FoundDocuments>;
  /** Returns the text of a document found by this search. */
  read(found: FoundDocument, limits: ReadLimits): Promise<SourceReading<string>>;
}
