import { z } from 'zod';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { DocumentSearch, FoundDocument } from '../../domain/research/document-search.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { extractText } from './markup-text.ts';
import { documentBody, runQueries } from './run-queries.ts';
import { toDocuments } from './to-documents.ts';

const UPSTREAM = 'crossref';
const FIELDS = 'DOI,title,abstract,issued';
const Work = z.object({
  DOI: z.string().min(1),
  title: z.array(z.string()).default([]),
  abstract: z.string().optional(),
  issued: z.object({ 'date-parts': z.array(z.array(z.int().nullable())) }).optional(),
});
const Works = z.object({
  status: z.literal('ok'),
  message: z.object({ items: z.array(Work) }),
});

/** Creates the search for abstracts of scholarly works in Crossref. */
export function createCrossrefSearch(reader: UpstreamReader): DocumentSearch {
  return {
    id: UPSTREAM,
    kind: 'scholarly',
    title: 'Crossref',
    missing: [],
    search: (order, limits) =>
      runQueries(order, async ({ text }) => {
        const query = new URLSearchParams({
          query: text,
          filter: 'has-abstract:true',
          select: FIELDS,
          rows: String(order.most),
        });
        const path = `/works?${query.toString()}`;
        const request = { upstream: UPSTREAM, path, ...limits } as const;
        const reading = await reader.read(request, (answer) => {
          const { data } = Works.safeParse(answer.json());
          const isFound = answer.status === 200 && data !== undefined;
          if (isFound) return { value: data.message.items };
          return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without works.` };
        });
        return toDocuments(reading, toDocument);
      }),
    read: async (found) => documentBody(UPSTREAM, found),
  };
}

function toDocument(
  { DOI, title, abstract, issued }: z.infer<typeof Work>,
  source: UnnumberedSource,
): FoundDocument | undefined {
  const name = extractText(title[0] ?? '');
  const text = extractText(abstract ?? '');
  if (name === '' || text === '') return undefined;
  return {
    url: `https://doi.org/${encodeURI(DOI).replaceAll('#', '%23').replaceAll('?', '%3F')}`,
    title: name,
    body: { text, source },
    publishedAt: formatDate(issued?.['date-parts'][0] ?? []),
  };
}

/** Returns a day, month or year, as precise as the source. */
function formatDate(parts: readonly (number | null)[]): string | null {
  const [year, ...rest] = parts.filter((part) => part !== null);
  if (year === undefined) return null;
  return [String(year).padStart(4, '0'), ...rest.map((part) => String(part).padStart(2, '0'))].join(
    '-',
  );
}
