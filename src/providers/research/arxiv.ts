import type { UnnumberedSource } from '../../domain/data/source.ts';
import type {
  DocumentQuery,
  DocumentSearch,
  FoundDocument,
} from '../../domain/research/document-search.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import { type AtomEntry, parseAtomEntries } from './atom-entries.ts';
import { documentBody, runQueries } from './run-queries.ts';
import { toDocuments } from './to-documents.ts';

const UPSTREAM = 'arxiv';
const ATOM = { accept: 'application/atom+xml' };

/** Creates the search for preprint abstracts on arXiv, which allows one request per 3 seconds. */
export function createArxivSearch(reader: UpstreamReader): DocumentSearch {
  return {
    id: UPSTREAM,
    kind: 'scholarly',
    title: 'arXiv',
    missing: [],
    search: (order, limits) =>
      runQueries(order, async (documentQuery) => {
        const query = new URLSearchParams({
          search_query: createExpression(documentQuery),
          start: '0',
          max_results: String(order.most),
          sortBy: 'relevance',
          sortOrder: 'descending',
        });
        const path = `/api/query?${query.toString()}`;
        const request = { upstream: UPSTREAM, path, ...limits, headers: ATOM } as const;
        return toDocuments(await reader.read(request, parseEntries), toDocument);
      }),
    read: async (found) => documentBody(UPSTREAM, found),
  };
}

/** Returns an expression for every word of the topic and at least one of the question. */
function createExpression({ must, any }: DocumentQuery): string {
  const all = must.map((word) => `all:${word}`).join(' AND ');
  const some = any.map((word) => `all:${word}`).join(' OR ');
  return some === '' ? all : `${all} AND (${some})`;
}

async function parseEntries({
  status,
  body,
}: UpstreamAnswer): Promise<Parsed<readonly AtomEntry[]>> {
  const entries =
    status === 200 ? await parseAtomEntries(new TextDecoder().decode(body)) : undefined;
  // arXiv returns errors as an entry of a feed.
  const isSound = entries?.every(({ id }) => !id.includes('/api/errors')) ?? false;
  if (entries !== undefined && isSound) return { value: entries };
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without preprints.` };
}

function toDocument(entry: AtomEntry, source: UnnumberedSource): FoundDocument | undefined {
  const { id, title, summary, published } = entry;
  if (!/^https?:\/\/arxiv\.org\/abs\//.test(id) || title === '' || summary === '') return undefined;
  return {
    url: id.replace(/^http:/, 'https:'),
    title,
    body: { text: summary, source },
    publishedAt: /^\d{4}-\d{2}-\d{2}T[\d:]+Z$/.test(published) ? published : null,
  };
}
