import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import { canonicalizeUrl } from '../../domain/news/story.ts';
import type {
  DocumentQuery,
  FoundDocument,
  FoundDocuments,
  SearchOrder,
} from '../../domain/research/document-search.ts';

/**
 * Runs queries one by one and merges their results, best first and each document once. It stops at
 * the first failure, because later queries would fail the same way.
 */
export async function runQueries(
  { queries, most }: SearchOrder,
  ask: (query: DocumentQuery) => Promise<SourceReading<readonly FoundDocument[]>>,
): Promise<FoundDocuments> {
  const lists: (readonly FoundDocument[])[] = [];
  const faults: DataFailure[] = [];
  for (const query of queries) {
    const reading = await ask(query);
    if (reading.ok) lists.push(reading.value);
    else {
      faults.push(reading.fault);
      break;
    }
  }
  return { found: interleave(lists).slice(0, most), faults };
}

/**
 * Interleaves lists: the first of each, then the second of each, and so on. Each document appears
 * once.
 */
function interleave(lists: readonly (readonly FoundDocument[])[]): readonly FoundDocument[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const known = new Map<string, FoundDocument>();
  for (let position = 0; position < longest; position += 1) {
    for (const list of lists) {
      const one = list[position];
      if (one === undefined) continue;
      const key = canonicalizeUrl(one.url);
      if (!known.has(key)) known.set(key, one);
    }
  }
  return [...known.values()];
}

/** Returns the text of a document that came with its search result. */
export function documentBody(upstream: string, { body }: FoundDocument): SourceReading<string> {
  if (body !== null) return { ok: true, value: body.text, source: body.source };
  const detail = 'The search result contained no text.';
  const fault = { upstream, code: 'not_found' as const, retryable: false, detail };
  return { ok: false, fault };
}
