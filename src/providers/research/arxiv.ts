import type { SourceFacts } from '../../domain/data/source.ts';
import type {
  DocumentQuery,
  DocumentSearch,
  FoundDocument,
} from '../../domain/research/document-search.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import { askEach, bodyOf } from './ask-each.ts';
import { type AtomEntry, atomEntries } from './atom-entries.ts';
import { withSource } from './with-source.ts';

const UPSTREAM = 'arxiv';
const ATOM = { accept: 'application/atom+xml' };

/** Creates the search for preprint abstracts on arXiv, which allows one request per 3 seconds. */
export function arxiv(reader: UpstreamReader): DocumentSearch {
  return {
    ...{ id: UPSTREAM, kind: 'scholarly', title: 'arXiv', missing: [] },
    search: (order, limits) =>
      askEach(order, async (asked) => {
        const query = new URLSearchParams({
          ...{ search_query: expressionOf(asked), start: '0', max_results: String(order.most) },
          ...{ sortBy: 'relevance', sortOrder: 'descending' },
        });
        const path = `/api/query?${query.toString()}`;
        const request = { upstream: UPSTREAM, path, ...limits, headers: ATOM } as const;
        return withSource(await reader.read(request, entriesIn), documentOf);
      }),
    read: async (found) => bodyOf(UPSTREAM, found),
  };
}

/** Returns an expression for every word of the topic and at least one of the question. */
function expressionOf({ must, any }: DocumentQuery): string {
  const all = must.map((word) => `all:${word}`).join(' AND ');
  const some = any.map((word) => `all:${word}`).join(' OR ');
  return some === '' ? all : `${all} AND (${some})`;
}

async function entriesIn({ status, body }: UpstreamAnswer): Promise<Parsed<readonly AtomEntry[]>> {
  const entries = status === 200 ? await atomEntries(new TextDecoder().decode(body)) : undefined;
  // arXiv returns errors as an entry of a feed.
  const isSound = entries?.every(({ id }) => !id.includes('/api/errors')) ?? false;
  if (entries !== undefined && isSound) return { value: entries };
  return { fault: 'upstream_bad_payload', why: `HTTP ${status} without preprints.` };
}

function documentOf(entry: AtomEntry, source: SourceFacts): FoundDocument | undefined {
  const { id, title, summary, published } = entry;
  if (!/^https?:\/\/arxiv\.org\/abs\//.test(id) || title === '' || summary === '') return undefined;
  return {
    url: id.replace(/^http:/, 'https:'),
    ...{ title, body: { text: summary, source } },
    publishedAt: /^\d{4}-\d{2}-\d{2}T[\d:]+Z$/.test(published) ? published : null,
  };
}
