import type { DataFault } from '../../domain/data/fault.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { canonicalUrl } from '../../domain/news/story.ts';
import type {
  DocumentOrder,
  DocumentQuery,
  FoundDocument,
  FoundDocuments,
} from '../../domain/research/document-search.ts';

/**
 * Runs queries one by one and merges their results, best first and each document once. It stops at
 * the first failure, because later queries would fail the same way.
 */
export async function askEach(
  { queries, most }: DocumentOrder,
  ask: (query: DocumentQuery) => Promise<Reading<readonly FoundDocument[]>>,
): Promise<FoundDocuments> {
  const lists: (readonly FoundDocument[])[] = [];
  const faults: DataFault[] = [];
  for (const query of queries) {
    const reading = await ask(query);
    if (reading.ok) lists.push(reading.value);
    else {
      faults.push(reading.fault);
      break;
    }
  }
  return { found: inTurn(lists).slice(0, most), faults };
}

/**
 * Interleaves lists: the first of each, then the second of each, and so on. Each document appears
 * once.
 */
function inTurn(lists: readonly (readonly FoundDocument[])[]): readonly FoundDocument[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const known = new Map<string, FoundDocument>();
  for (let place = 0; place < longest; place += 1) {
    for (const list of lists) {
      const one = list[place];
      if (one === undefined) continue;
      const key = canonicalUrl(one.url);
      if (!known.has(key)) known.set(key, one);
    }
  }
  return [...known.values()];
}

/** Returns the text of a document that came with its search result. */
export function bodyOf(upstream: string, { body }: FoundDocument): Reading<string> {
  if (body !== null) return { ok: true, value: body.text, source: body.source };
  const detail = 'The search result contained no text.';
  const fault = { upstream, code: 'not_found' as const, retryable: false, detail };
  return { ok: false, fault };
}
