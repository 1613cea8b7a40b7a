import type { Filings } from '../../domain/filing/filings.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { createArxivSearch } from './arxiv.ts';
import { createCrossrefSearch } from './crossref.ts';
import { createFilingSearch } from './filings.ts';
import { createHackerNewsSearch } from './hackernews.ts';
import { createNewsSearch } from './news.ts';
import { createWikipediaSearch } from './wikipedia.ts';

/** The dependencies of document searches. */
export interface DocumentSearchDeps {
  readonly reader: UpstreamReader;
  readonly feeds: FeedReader;
  readonly filings: Filings;
  /** Contact address of the operator, which Wikipedia requires. */
  readonly contact?: string | undefined;
}

/** Creates all document searches. None needs a key. */
export function createDocumentSearches({
  reader,
  feeds,
  filings,
  contact,
}: DocumentSearchDeps): readonly DocumentSearch[] {
  const missing = contact === undefined ? ['STOA_OPERATOR_EMAIL'] : [];
  return [
    createWikipediaSearch(reader, missing),
    createCrossrefSearch(reader),
    createArxivSearch(reader),
    createNewsSearch(feeds),
    createFilingSearch(filings),
    createHackerNewsSearch(reader),
  ];
}
