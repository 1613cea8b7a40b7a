import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBlobStore } from '../../../src/store/common/blob-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY_MS = 86_400_000;
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
let dir: ReturnType<typeof tempDir>;
let now = 0;
const clock = { now: () => now };

beforeEach(() => {
  dir = tempDir();
  now = 10_000 * DAY_MS;
});
afterEach(() => dir.remove());

test('a text is found by its hash, over a restart', async () => {
  const store = openBlobStore({ path: dir.path, clock });
  expect(await store.put('abc')).toBe(ABC);
  expect(await Promise.all([store.put('abc'), store.put('abc')])).toEqual([ABC, ABC]);
  await store.close();
  const again = openBlobStore({ path: dir.path, clock });
  expect(again.get(ABC)).toBe('abc');
  expect(again.get('0'.repeat(64))).toBeUndefined();
  await again.close();
});

test('a text too large is refused', async () => {
  const store = openBlobStore({ path: dir.path, clock });
  await expect(store.put('x'.repeat(8 * 1024 * 1024 + 1))).rejects.toMatchObject({
    code: 'BODY_TOO_LARGE',
  });
  await store.close();
});

test('a text outlives 500 days only when it was put again', async () => {
  const store = openBlobStore({ path: dir.path, clock });
  await store.put('abc');
  const other = await store.put('other');
  now += 400 * DAY_MS;
  await store.put('abc');
  now += 100 * DAY_MS;
  expect(await store.trim(now)).toBe(1);
  expect(store.get(other)).toBeUndefined();
  expect(store.get(ABC)).toBe('abc');
  now += 400 * DAY_MS;
  expect(await store.trim(now)).toBe(1);
  expect(store.get(ABC)).toBeUndefined();
  await store.close();
});
