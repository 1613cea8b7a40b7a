import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SyncEngineStore, Write } from '../../../src/runtime/engine/ports.ts';
import { openBlobStore } from '../../../src/store/common/blob-store.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { journalWrite, listed } from '../../support/store-rows.ts';
import { takenOver } from '../../support/taken-over.ts';
import { tempDir } from '../../support/temp-dir.ts';

const MIB = 1024 * 1024;
const ACTORS = 400;
const ROWS = 40;
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

test('after a purge of most actors the file becomes small, while writers and readers go on', async () => {
  await fill(store);
  const full = sizeOf(dir.path);
  expect(full).toBeGreaterThan(8 * MIB);
  for (let n = 1; n < ACTORS; n += 1) {
    const id = `a/${n}`;
    if (n % 20 !== 0) await store.commit([{ purge: 'actor', row: listed(id, 1, 'done') }]);
  }
  const writers = Array.from({ length: 8 }, (_, n) => writeOn(`w/${n}`));
  const compacted = await store.compact?.();
  const written = await Promise.all(writers.map((writer) => writer.end()));
  expect(compacted?.beforeBytes).toBe(full);
  expect(compacted?.afterBytes).toBeLessThan(full / 4);
  expect(sizeOf(dir.path)).toBeLessThan(full / 2);
  expect(existsSync(join(dir.path, 'compacting'))).toBe(false);
  const check = (): void => {
    for (let n = 0; n < ACTORS; n += 20) {
      expect(seqsOf(store, `a/${n}`)).toEqual(numbers(ROWS));
    }
    for (const [n, count] of written.entries()) {
      expect(count).toBeGreaterThan(3);
      expect(seqsOf(store, `w/${n}`)).toEqual(numbers(count));
    }
  };
  check();
  await store.close();
  store = openEngineStore({ path: dir.path });
  check();
  // A pause is as long as a sync or two; this guards against one that lasts as long as the copy.
  expect(compacted?.pausedMs).toBeLessThan(5_000);
}, 60_000);

test('a file that is in use is left as it is', async () => {
  await fill(store);
  const before = statSync(join(dir.path, 'data.mdb')).ino;
  expect(await store.compact?.()).toBeUndefined();
  expect(statSync(join(dir.path, 'data.mdb')).ino).toBe(before);
});

test('a compaction is given up when another process has become the owner', async () => {
  await store.commit([journalWrite('a', 1)]);
  const before = statSync(join(dir.path, 'data.mdb')).ino;
  takenOver(dir.path);
  await expect(store.compact?.({ force: true })).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(statSync(join(dir.path, 'data.mdb')).ino).toBe(before);
}, 60_000);

test('what a compaction left behind is removed at the next start', async () => {
  await store.commit([journalWrite('a', 1)]);
  await store.close();
  mkdirSync(join(dir.path, 'compacting'));
  writeFileSync(join(dir.path, 'compacting', 'data.mdb'), 'half of it');
  store = openEngineStore({ path: dir.path });
  expect(existsSync(join(dir.path, 'compacting'))).toBe(false);
  expect(seqsOf(store, 'a')).toEqual([1]);
});

test('texts are given back to the file system too', async () => {
  let now = 0;
  const path = join(dir.path, 'blobs');
  const blobs = openBlobStore({ path, clock: { now: () => now } });
  for (let n = 0; n < 100; n += 1) await blobs.put(`${n} ${'x'.repeat(100_000)}`);
  const full = sizeOf(path);
  expect(await blobs.compact()).toBeUndefined();
  now += 501 * 86_400_000;
  const kept = await blobs.put('kept');
  expect(await blobs.trim(now)).toBe(100);
  expect(await blobs.compact()).toMatchObject({ beforeBytes: expect.any(Number) });
  expect(sizeOf(path)).toBeLessThan(full / 10);
  expect(blobs.get(kept)).toBe('kept');
  await blobs.close();
});

async function fill(into: SyncEngineStore): Promise<void> {
  for (let n = 0; n < ACTORS; n += 1) {
    const rows = numbers(ROWS).map((seq) => wide(`a/${n}`, seq, n * ROWS + seq));
    await into.commit([...rows, { put: 'index', row: listed(`a/${n}`, 1, 'done') }]);
  }
}

/** A journal row of about 600 bytes. */
function wide(id: string, seq: number, globalSeq: number): Write {
  const { row } = journalWrite(id, seq) as Extract<Write, { put: 'journal' }>;
  const event = { type: 'A', text: 'x'.repeat(600) };
  return { put: 'journal', row: { ...row, globalSeq, event } };
}

let position = 1_000_000;

/** Writes rows one after the other, reading each back, until it is told to end. */
function writeOn(id: string): { end(): Promise<number> } {
  let isOver = false;
  const written = (async () => {
    let seq = 0;
    while (!isOver || seq < 4) {
      seq += 1;
      position += 1;
      await store.commit([wide(id, seq, position)]);
      expect(seqsOf(store, id).at(-1)).toBe(seq);
    }
    return seq;
  })();
  return {
    end: async () => {
      isOver = true;
      return await written;
    },
  };
}

function seqsOf(from: SyncEngineStore, id: string): readonly number[] {
  return from.readJournal(id, 1, Number.POSITIVE_INFINITY).map(({ seq }) => seq);
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

function sizeOf(path: string): number {
  return statSync(join(path, 'data.mdb')).size;
}
