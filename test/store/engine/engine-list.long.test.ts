import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SyncEngineStore, Write } from '../../../src/runtime/engine/ports.ts';
import type { ListQuery, ListRow } from '../../../src/runtime/engine/types.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ACTORS = 1_000_000;
const BATCH = 10_000;
const STATES = ['open', 'paid.early', 'paid.late', 'shut'] as const;
/** One actor in so many is in this state: pages of it are found only by an index. */
const RARE_EVERY = 20_000;
/** Generous: one more level of the tree, and caches that hold less of it. */
const RATIO_MAX = 8;

let dir: ReturnType<typeof tempDir>;
let small: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
  small = tempDir();
});
afterEach(() => {
  dir.remove();
  small.remove();
});

test('a page by state of a million actors costs about what it costs of a thousand', async () => {
  const few = openEngineStore({ path: small.path });
  const many = openEngineStore({ path: dir.path });
  await fill(few, 1_000);
  await fill(many, ACTORS);
  const ratios: [ListQuery, number][] = [];
  for (const query of [
    { kind: 'job', state: 'paid', limit: 50 },
    { kind: 'job', state: 'paid.late', limit: 50 },
    { kind: 'job', status: 'done', limit: 50 },
    { state: 'open', limit: 50 },
    { kind: 'job', limit: 50 },
    { limit: 50 },
  ] satisfies ListQuery[]) {
    expect(many.list(query).rows).toHaveLength(50);
    ratios.push([query, costOf(many, query) / costOf(few, query)]);
  }
  const rare = { kind: 'job', state: 'rare', limit: 1_000 };
  expect(many.list(rare).rows).toHaveLength(ACTORS / RARE_EVERY);
  ratios.push([rare, costOf(many, rare) / costOf(few, { kind: 'job', limit: 50 })]);
  expect(ratios.filter(([, ratio]) => ratio > RATIO_MAX)).toEqual([]);
  await walk(many);
  await few.close();
  await many.close();
}, 600_000);

/** Walks over all that are open, while others change to and fro. */
async function walk(store: SyncEngineStore): Promise<void> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let rows = 0;
  let last = '';
  do {
    const query = { kind: 'job', state: 'open', limit: 1_000 };
    const page = store.list(cursor === undefined ? query : { ...query, cursor });
    for (const { id } of page.rows) {
      expect(id > last).toBe(true);
      last = id;
      seen.add(id);
    }
    rows += page.rows.length;
    cursor = page.cursor;
    await store.commit(page.rows.slice(0, 100).map((row) => moved(row, 'shut')));
    const passed = { ...page.rows[200], state: 'open' } as ListRow;
    await store.commit([
      moved(passed, 'paid.late'),
      moved({ ...passed, state: 'paid.late' }, 'open'),
    ]);
  } while (cursor !== undefined);
  expect(rows).toBe(seen.size);
  expect(seen.size).toBe(ACTORS / STATES.length);
  expect(store.list({ kind: 'job', state: 'open', limit: 1_000 }).rows).toHaveLength(1_000);
}

async function fill(store: SyncEngineStore, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from);
    const writes = Array.from(
      { length },
      (_, n): Write => ({ put: 'index', row: rowOf(from + n) }),
    );
    await store.commit(writes);
  }
}

function rowOf(n: number): ListRow {
  // Open ones stay a quarter: the rare ones are taken from those that are shut.
  const state = n % RARE_EVERY === 3 ? 'rare' : (STATES[n % STATES.length] ?? 'open');
  const status = state === 'shut' ? 'done' : 'active';
  const id = `job/${String(n).padStart(7, '0')}`;
  return { id, kind: 'job', state, status, seq: 1, createdAt: n, at: n };
}

function moved(before: ListRow, state: string): Write {
  return { put: 'index', row: { ...before, state }, before };
}

/** Median of what a page costs, in milliseconds, from places all over the store. */
function costOf(store: SyncEngineStore, query: ListQuery): number {
  const costs = Array.from({ length: 101 }, () => {
    const begun = process.hrtime.bigint();
    store.list(query);
    return Number(process.hrtime.bigint() - begun) / 1e6;
  });
  return costs.sort((a, b) => a - b)[50] ?? 0;
}
