import { expect, test } from 'vitest';
import type { ListQuery, ListRow } from '../../../src/runtime/engine/types.ts';
import { MemorySearch } from '../../../src/runtime/search/memory-search.ts';
import { searchActors } from '../../../src/runtime/search/search-actors.ts';

/** Returns how many rows each query reads for its first page, and how many it finds. */
function countReads(actors: number, queries: readonly ListQuery[]) {
  const rows = new Map<string, ListRow>();
  let reads = 0;
  const index = new MemorySearch((id) => {
    reads += 1;
    return rows.get(id);
  });
  for (let n = 0; n < actors; n += 1) {
    const id = `o/${String(n).padStart(6, '0')}`;
    const attributes = { customer: n < 40 ? 'ada' : 'bob', total: n, isOpen: true };
    const row: ListRow = {
      id,
      kind: 'order',
      state: 'open',
      status: 'active',
      seq: 1,
      createdAt: 0,
      at: 0,
      attributes,
    };
    rows.set(id, row);
    index.change(undefined, row);
  }
  return queries.map((query) => {
    reads = 0;
    const page = searchActors(index, { ...query, kind: 'order', limit: 20 });
    return { reads, found: page.rows.length };
  });
}

test('a page of 100,000 actors reads no more rows than one of 1,000', () => {
  const queries: readonly ListQuery[] = [
    { where: { customer: 'ada' } },
    { where: { customer: 'ada', isOpen: true }, orderBy: 'total', descending: true },
    { where: { total: { from: 100, to: 130 } } },
    { where: { customer: 'bob' }, orderBy: 'total', descending: true },
    { where: { isOpen: true } },
  ];
  const small = countReads(2_000, queries);
  expect(countReads(100_000, queries)).toEqual(small);
  expect(small.every(({ found, reads }) => found === 20 && reads <= 100)).toBe(true);
});
