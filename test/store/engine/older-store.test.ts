import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { checkStore, salvageStore } from '../../../src/store/salvage/salvage.ts';
import { readFullStore, writeFullStore } from '../../support/full-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** The content of `writeFullStore`, written by the last program of format 3. */
const FIXTURE = fileURLToPath(new URL('../../fixtures/store-format-3.mdb.gz', import.meta.url));
let dir: ReturnType<typeof tempDir>;
let path: string;

beforeEach(() => {
  dir = tempDir();
  path = join(dir.path, 'old');
  mkdirSync(path);
  writeFileSync(join(path, 'data.mdb'), gunzipSync(readFileSync(FIXTURE)));
});
afterEach(() => dir.remove());

test('a store that a program of format 3 wrote is read as it was written, and every row gets its checksum', async () => {
  const expected = await readNew();
  const reader = openEngineStore({ path, readOnly: true });
  expect(readFullStore(reader)).toEqual(expected);
  await reader.close();
  expect(await checkStore(path)).toMatchObject({ findingCount: 0, damagedActorCount: 0 });
  const store = openEngineStore({ path });
  const notices: unknown[] = [];
  store.watchDamage?.((damage) => notices.push(damage));
  expect(readFullStore(store)).toEqual(expected);
  await expect.poll(() => store.mark('checksums'), { timeout: 20_000 }).toBe('done');
  expect(readFullStore(store)).toEqual(expected);
  await store.close();
  expect(await countUnsealed()).toBe(0);
  const again = openEngineStore({ path });
  expect(readFullStore(again)).toEqual(expected);
  await again.close();
  expect(notices).toEqual([]);
  expect(await checkStore(path)).toMatchObject({ findingCount: 0, damagedActorCount: 0 });
});

test('what a salvage writes of it is what it holds', async () => {
  const target = join(dir.path, 'new');
  const expected = await readNew();
  expect(await salvageStore(path, target)).toMatchObject({ findingCount: 0, lostSharedRows: 0 });
  const store = openEngineStore({ path: target });
  expect(readFullStore(store)).toEqual(expected);
  await store.close();
});

/** Returns the content of the same store as this program writes it. */
async function readNew(): Promise<readonly unknown[]> {
  const fresh = join(dir.path, 'fresh');
  await writeFullStore(fresh);
  const store = openEngineStore({ path: fresh });
  const content = readFullStore(store);
  await store.close();
  return content;
}

async function countUnsealed(): Promise<number> {
  const root = open<string, string>({ path, maxDbs: 32, noSubdir: false });
  let found = 0;
  for (const name of [...root.getKeys()].filter((each) => each !== 'meta')) {
    const table = root.openDB<string, string>(name, { encoding: 'string' });
    for (const { value } of table.getRange()) if (value.at(-8) !== '\u0001') found += 1;
  }
  await root.close();
  return found;
}
