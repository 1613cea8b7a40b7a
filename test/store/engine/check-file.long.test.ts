import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkFile } from '../../../src/store/engine/check-file.ts';
import { seeded } from '../../support/seeded.ts';
import { tempDir } from '../../support/temp-dir.ts';

const WHOLE = { fault: undefined };
const SEED = Number(process.env['STOA_SEED'] ?? 1 + Math.floor(Math.random() * 1e6));

let dir: ReturnType<typeof tempDir>;
beforeAll(() => {
  dir = tempDir();
});
afterAll(() => dir.remove());

function makeStore(name: string): { readonly path: string; readonly store: RootDatabase } {
  const path = join(dir.path, name, 'data.mdb');
  return { path, store: open({ path, maxDbs: 4 }) };
}

/** The list of free pages has a row for each commit, by the number of the commit. */
test('pages that wait to be free for more than 256 commits are no damage', async () => {
  const { path, store } = makeStore('waiting');
  await store.put('a', 0);
  const reader = store.useReadTransaction();
  for (let commit = 0; commit < 700; commit += 1) await store.put(`k${commit % 7}`, commit);
  expect(checkFile(path)).toMatchObject(WHOLE);
  reader.done();
  await store.close();
});

test('whatever a store was asked to keep and to forget, its file stays whole', {
  timeout: 60_000,
}, async () => {
  const { path, store } = makeStore('any');
  const tables = ['one', 'two', 'three'].map((name) => store.openDB({ name }));
  const random = seeded(SEED);
  const pick = (below: number) => Math.floor(random() * below);
  let reader = store.useReadTransaction();
  for (let step = 0; step < 1_500; step += 1) {
    const table = tables[pick(3)] as Database;
    const key = pick(2) === 0 ? `key-${pick(400)}` : [pick(9), `of ${pick(40)}`];
    const size = pick(20) === 0 ? pick(30_000) : pick(300);
    if (pick(3) === 0) await table.remove(key);
    else await table.put(key, 'v'.repeat(size));
    if (pick(300) === 0) {
      reader.done();
      reader = store.useReadTransaction();
    }
    if (step % 10 === 0)
      expect(checkFile(path), `STOA_SEED=${SEED}, step ${step}`).toMatchObject(WHOLE);
  }
  reader.done();
  await store.close();
});
