import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Write } from '../../../src/runtime/engine/ports.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { dead, ended, entry, journalWrite, letterId, listed } from '../../support/store-rows.ts';
import { takenOver } from '../../support/taken-over.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY_MS = 86_400_000;
let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

test('a process that another machine has overtaken writes nothing more', async () => {
  const former = openEngineStore({ path: dir.path });
  await former.commit([journalWrite('a', 1)]);
  takenOver(dir.path);
  const late = [former.commit([journalWrite('a', 2)]), former.commit([dead('x', 1)])];
  for (const commit of late) await expect(commit).rejects.toMatchObject({ code: 'STORE_BUSY' });
  await former.close();
  const owner = openEngineStore({ path: dir.path });
  await owner.commit([journalWrite('a', 3)]);
  expect(owner.readJournal('a', 1, 10).map(({ seq }) => seq)).toEqual([1, 3]);
  expect(owner.deadLetter('x')).toBeUndefined();
  await owner.close();
}, 60_000);

test('a process that has the store open does not open it a second time', async () => {
  const store = openEngineStore({ path: dir.path });
  expect(() => openEngineStore({ path: `${dir.path}/.` })).toThrow(
    expect.objectContaining({ code: 'STORE_BUSY' }),
  );
  await store.commit([journalWrite('a', 1)]);
  await store.close();
  const again = openEngineStore({ path: dir.path });
  expect(again.readJournal('a', 1, 10)).toHaveLength(1);
  await again.close();
});

test('a store of a newer program is refused by name', async () => {
  const root = open({ path: dir.path, maxDbs: 16, encoding: 'string', noSubdir: false });
  await root.openDB('meta', { encoding: 'string', useVersions: true }).put('format', '5', 1);
  await root.close();
  expect(() => openEngineStore({ path: dir.path })).toThrow(
    expect.objectContaining({ code: 'STORE_NEWER', data: expect.objectContaining({ found: 5 }) }),
  );
});

test('a commit is written whole or not at all', async () => {
  const store = openEngineStore({ path: dir.path });
  const broken = { ...entry('a', 2), event: { type: 'A', n: 1n } };
  await expect(
    store.commit([journalWrite('a', 1), { put: 'journal', row: broken }]),
  ).rejects.toThrow();
  expect(store.readJournal('a', 1, 10)).toEqual([]);
  await store.commit([journalWrite('a', 1)]);
  expect(store.readJournal('a', 1, 10)).toHaveLength(1);
  await store.close();
});

test('rows sort by number, over ten and over the size of an integer', async () => {
  const store = openEngineStore({ path: dir.path });
  const seqs = [10, 2, 300, 2 ** 33, 1];
  await store.commit(seqs.map((seq) => journalWrite('a', seq)));
  await store.commit([journalWrite('a/b', 5)]);
  expect(store.readJournal('a', 1, 10).map(({ seq }) => seq)).toEqual([1, 2, 10, 300, 2 ** 33]);
  await store.close();
});

test('there is no room below the reserve', async () => {
  const store = openEngineStore({ path: dir.path, reserveBytes: Number.MAX_SAFE_INTEGER });
  expect(store.hasRoom()).toBe(false);
  await store.close();
  const roomy = openEngineStore({ path: dir.path, reserveBytes: 0 });
  expect(roomy.hasRoom()).toBe(true);
  await roomy.close();
});

test('a reader reads and cannot write', async () => {
  const owner = openEngineStore({ path: dir.path });
  await owner.commit([journalWrite('a', 1)]);
  const reader = openEngineStore({ path: dir.path, readOnly: true });
  expect(reader.readJournal('a', 1, 10)).toHaveLength(1);
  await expect(reader.commit([journalWrite('a', 2)])).rejects.toMatchObject({
    code: 'STORE_FAILED',
  });
  await owner.commit([journalWrite('a', 2)]);
  await reader.close();
  await owner.close();
});

test('trimming removes what is past its age, and only that', async () => {
  const store = openEngineStore({ path: dir.path });
  const now = 1_000 * DAY_MS;
  const ack = { seq: 1, value: 'x', status: 'active' } as const;
  const answer = (key: string, expires: number): Write => {
    return { put: 'idempotency', id: 'a', key, row: { ack, expires } };
  };
  await store.commit([
    answer('old', now),
    answer('new', now + 1),
    dead(letterId(now - 400 * DAY_MS), now - 400 * DAY_MS),
    dead(letterId(now - 399 * DAY_MS), now - 399 * DAY_MS),
    ...ended('gone', now - 401 * DAY_MS, 1),
    ...ended('kept', now - 399 * DAY_MS, 2),
    ...ended('alive', now - 401 * DAY_MS, 3),
  ]);
  await store.commit([{ put: 'index', row: listed('alive', now, 'active') }]);
  // An answer, a letter, an actor, and the mark of an end that was not the last word.
  expect(store.trim(now)).toBe(4);
  await store.commit([]);
  expect(store.idempotency('a', 'old')).toBeUndefined();
  expect(store.idempotency('a', 'new')).toEqual({ ack, expires: now + 1 });
  expect(store.deadLetters(undefined, 10).rows).toHaveLength(1);
  expect(store.list({}).rows.map(({ id }) => id)).toEqual(['alive', 'kept']);
  expect(store.feed(0, 10).map(({ id }) => id)).toEqual(['kept', 'alive']);
  expect(store.trim(now)).toBe(0);
  await store.close();
});

test('a trimmed answer that was given anew stays', async () => {
  const store = openEngineStore({ path: dir.path });
  const ack = { seq: 1, value: 'x', status: 'active' } as const;
  await store.commit([{ put: 'idempotency', id: 'a', key: 'k', row: { ack, expires: 10 } }]);
  await store.commit([{ put: 'idempotency', id: 'a', key: 'k', row: { ack, expires: 99 } }]);
  store.trim(50);
  await store.commit([]);
  expect(store.idempotency('a', 'k')).toEqual({ ack, expires: 99 });
  await store.close();
});

test('dead letters come in pages, oldest first', async () => {
  const store = openEngineStore({ path: dir.path });
  await store.commit([3, 1, 2].map((at) => dead(letterId(at), at)));
  const first = store.deadLetters(undefined, 2);
  expect(first.rows.map(({ at }) => at)).toEqual([1, 2]);
  expect(store.deadLetters(first.cursor, 2)).toMatchObject({ rows: [{ at: 3 }] });
  await store.close();
});
