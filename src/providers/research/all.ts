import type { Filings } from '../../domain/filing/filings.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { arxiv } from './arxiv.ts';
import { crossref } from './crossref.ts';
import { filingSearch } from './filings.ts';
import { hackerNews } from './hackernews.ts';
import { newsSearch } from './news.ts';
import { wikipedia } from './wikipedia.ts';

/** The dependencies of document searches. */
export interface DocumentParts {
  readonly reader: UpstreamReader;
  readonly feeds: FeedReader;
  readonly filings: Filings;
  /** Contact address of the operator, which Wikipedia requires. */
  readonly contact?: string | undefined;
}

/** Creates all document searches. None needs a key. */
export function allDocumentSearches({
  reader,
  feeds,
  filings,
  contact,
}: DocumentParts): readonly DocumentSearch[] {
  const missing = contact === undefined ? ['STOA_OPERATOR_EMAIL'] : [];
  return [
    wikipedia(reader, missing),
    crossref(reader),
    arxiv(reader),
    newsSearch(feeds),
    filingSearch(filings),
    hackerNews(reader),
  ];
}
