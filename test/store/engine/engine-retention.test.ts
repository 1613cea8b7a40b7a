import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SnapshotRow, SyncEngineStore, Write } from '../../../src/runtime/engine/ports.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { journalWrite } from '../../support/store-rows.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
let store: SyncEngineStore;

beforeEach(() => {
  dir = tempDir();
  store = openEngineStore({ path: dir.path });
});
afterEach(async () => {
  await store.close();
  dir.remove();
});

test('a trim takes rows, their places in the feed, and the snapshots before its own', async () => {
  await story(100);
  await store.commit([{ trim: 'journal', id: 'a', seq: 60, at: 0 }]);
  // The newest snapshot at or before row 60 is that of row 51.
  expect(store.readJournal('a', 1, 1)[0]?.seq).toBe(52);
  expect(await count('journal')).toBe(49);
  expect(await count('feed')).toBe(49);
  expect(await count('snapshots')).toBe(5);
  expect(store.loadAt('a', 51)?.snapshot.seq).toBe(51);
  expect(store.loadAt('a', 50)).toBeUndefined();
});

test('a trim by age goes up to the last snapshot that is old enough', async () => {
  await story(100);
  await store.commit([{ trim: 'journal', id: 'a', seq: 0, at: 1_035 }]);
  expect(store.readJournal('a', 1, 1)[0]?.seq).toBe(32);
});

test('one trim takes about a thousand rows, the next one goes on', async () => {
  await story(3_000);
  const firsts: (number | undefined)[] = [];
  for (let n = 0; n < 4; n += 1) {
    await store.commit([{ trim: 'journal', id: 'a', seq: 2_995, at: 0 }]);
    firsts.push(store.readJournal('a', 1, 1)[0]?.seq);
  }
  expect(firsts).toEqual([1_002, 2_002, 2_992, 2_992]);
});

test('a trim leaves other actors alone', async () => {
  await story(50);
  await store.commit([journalWrite('a/b', 1_001)]);
  await store.commit([{ trim: 'journal', id: 'a', seq: 50, at: 0 }]);
  expect(store.readJournal('a/b', 1, 10)).toHaveLength(1);
});

/** Rows of the actor `a`, with a snapshot at every tenth from the first one on. */
async function story(rows: number): Promise<void> {
  const writes: Write[] = [];
  for (let seq = 1; seq <= rows; seq += 1) {
    writes.push(journalWrite('a', seq));
    if (seq % 10 === 1) writes.push({ put: 'snapshot', id: 'a', row: snapshot(seq) });
  }
  await store.commit(writes);
}

function snapshot(seq: number): SnapshotRow {
  return {
    kind: 'k',
    version: 1,
    seq,
    at: 1_000 + seq,
    createdAt: 1,
    stuck: false,
    snapshot: { status: 'active', value: 'x', context: {} },
    timers: [],
    effects: [],
  };
}

async function count(name: string): Promise<number> {
  const root = open({ path: dir.path, readOnly: true, maxDbs: 64, noSubdir: false });
  const rows = root.openDB(name, { encoding: 'string' }).getCount();
  await root.close();
  return rows;
}
