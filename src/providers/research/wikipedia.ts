import { z } from 'zod';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';
import type { DocumentSearch, FoundDocument } from '../../domain/research/document-search.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { runQueries } from './run-queries.ts';

const UPSTREAM = 'wikipedia';
const PAGES = 'https://en.wikipedia.org/wiki/';
const Found = z.object({
  pages: z.array(z.object({ key: z.string().min(1), title: z.string().min(1) })),
});
const Extracts = z.object({
  query: z.object({
    pages: z
      .array(
        z.object({
          title: z.string(),
          missing: z.boolean().optional(),
          extract: z.string().optional(),
        }),
      )
      .length(1),
  }),
});

/**
 * Creates the search of the English Wikipedia: full-text search, then the plain text of articles.
 */
export function createWikipediaSearch(
  reader: UpstreamReader,
  missing: readonly string[],
): DocumentSearch {
  return {
    id: UPSTREAM,
    kind: 'encyclopedia',
    title: 'Wikipedia',
    missing,
    search: (order, limits) =>
      runQueries(order, ({ text }) => {
        const query = new URLSearchParams({ q: text, limit: String(order.most) });
        const path = `/w/rest.php/v1/search/page?${query.toString()}`;
        return reader.read({ upstream: UPSTREAM, path, ...limits }, (answer) => {
          const { data } = Found.safeParse(answer.json());
          const isFound = answer.status === 200 && data !== undefined;
          if (isFound) return { value: data.pages.map(toDocument) };
          return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without pages.` };
        });
      }),
    read: (found, limits) => readArticle(reader, found, limits),
  };
}

function toDocument({
  key,
  title,
}: {
  readonly key: string;
  readonly title: string;
}): FoundDocument {
  return { url: `${PAGES}${encodeURIComponent(key)}`, title, publishedAt: null, body: null };
}

function readArticle(
  reader: UpstreamReader,
  { title }: FoundDocument,
  limits: ReadLimits,
): Promise<SourceReading<string>> {
  const query = new URLSearchParams({
    action: 'query',
    format: 'json',
    formatversion: '2',
    redirects: '1',
    prop: 'extracts',
    explaintext: '1',
    exsectionformat: 'wiki',
    titles: title,
  });
  const path = `/w/api.php?${query.toString()}`;
  return reader.read({ upstream: UPSTREAM, path, ...limits }, (answer) => {
    const page = Extracts.safeParse(answer.json()).data?.query.pages[0];
    if (answer.status !== 200 || page === undefined) {
      return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without an article.` };
    }
    const text = page.extract?.trim() ?? '';
    if (page.missing === true || text === '') {
      return { fault: 'not_found', why: 'No article text has this title.' };
    }
    return { value: text };
  });
}
