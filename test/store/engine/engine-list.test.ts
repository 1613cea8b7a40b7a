import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Environment } from '../../../src/store/common/environment.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

test('a store of format 1 is read at once, and upgraded in place while it works', async () => {
  await writeFormat1(2_500);
  const store = openEngineStore({ path: dir.path });
  const query = { kind: 'job', state: 'open', limit: 1_000 };
  expect(store.list(query).rows).toHaveLength(834);
  expect(store.list({ kind: 'job', state: 'paid.late' }).rows[0]).toEqual({
    id: 'a00002',
    kind: 'job',
    state: 'paid.late',
    status: 'active',
    seq: 1,
    createdAt: 2,
    at: 7,
  });
  await upgraded();
  expect(store.list(query).rows).toHaveLength(834);
  expect(store.list({ status: 'done', limit: 1_000 }).rows).toHaveLength(833);
  await store.close();
  expect(await facts()).toEqual({ format: '4', facets: 'done', rows: 2_500 * 2 + 833 });
  expect(() => new Environment({ path: dir.path }, 1)).toThrow(
    expect.objectContaining({ code: 'STORE_NEWER' }),
  );
});

test('an upgrade that was cut short goes on at the next opening', async () => {
  await writeFormat1(3_500);
  const marks = new Set<string>();
  for (let opening = 0; opening < 10; opening += 1) {
    const store = openEngineStore({ path: dir.path });
    expect(store.list({ kind: 'job', state: 'open', limit: 1_000 }).rows).toHaveLength(1_000);
    await store.close();
    const { facets } = await facts();
    marks.add(facets ?? '');
    if (facets === 'done') break;
  }
  expect([...marks]).toEqual(['["job","a00999"]', '["job","a01999"]', '["job","a02999"]', 'done']);
  expect((await facts()).rows).toBe(3_500 * 2 + 1_166);
});

test('a reader of a store of format 1 reads it as it is', async () => {
  await writeFormat1(30);
  const reader = openEngineStore({ path: dir.path, readOnly: true });
  expect(reader.list({ kind: 'job', state: 'paid' }).rows).toHaveLength(10);
  expect([reader.slots(), reader.schedules(), reader.waitingCount('q')]).toEqual([[], [], 0]);
  await reader.close();
  expect(await facts()).toMatchObject({ format: '1' });
});

test('an actor changes its place in the facets with its state, and leaves them with a purge', async () => {
  const store = openEngineStore({ path: dir.path });
  const before = listed('open', 'active');
  const after = listed('shut.well', 'done');
  await store.commit([{ put: 'index', row: before }]);
  expect((await facetsOf(store)).sort()).toEqual(['s/open', 't/active']);
  await store.commit([{ put: 'index', row: after, before }]);
  expect((await facetsOf(store)).sort()).toEqual(['s/shut', 's/shut.well', 't/done']);
  await store.commit([{ purge: 'actor', row: after }]);
  expect(await facetsOf(store)).toEqual([]);
  await store.close();
});

test('names of any allowed length and of any letters can be found', async () => {
  const store = openEngineStore({ path: dir.path });
  const long = '\u{10ffff}'.repeat(128);
  const state = `${'長'.repeat(40)}.${'名'.repeat(300)}`;
  const row = { ...listed(state, 'active'), id: long, kind: long };
  const others = ['k', 'k!', 'ka', 'k '].map((kind) => ({ ...listed('open', 'active'), kind }));
  await store.commit([row, ...others].map((each) => ({ put: 'index' as const, row: each })));
  expect(store.list({ kind: long, state }).rows).toHaveLength(1);
  expect(store.list({ state: '長'.repeat(40) }).rows).toHaveLength(1);
  expect(store.list({ state: 'open' }).rows.map(({ kind }) => kind)).toEqual([
    'k',
    'k ',
    'k!',
    'ka',
  ]);
  await store.close();
});

/** Waits until the store that is open has brought itself to the present format. */
async function upgraded(): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    const reader = openEngineStoreReader();
    const isDone = reader.getMark() === 'done';
    await reader.close();
    if (isDone) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('the upgrade has not ended');
}

function openEngineStoreReader() {
  const root = open({ path: dir.path, maxDbs: 32, encoding: 'string', readOnly: true });
  const marks = root.openDB<string, string>('marks', { encoding: 'string' });
  return { getMark: () => withoutChecksum(marks.get('facets')), close: () => root.close() };
}

/** Rows as programs of format 1 wrote them: an index by kind and id, and no facets. */
async function writeFormat1(count: number): Promise<void> {
  const root = open({ path: dir.path, maxDbs: 32, encoding: 'string', noSubdir: false });
  const meta = root.openDB('meta', { encoding: 'string', useVersions: true });
  const index = root.openDB('index', { encoding: 'string' });
  const journal = root.openDB('journal', { encoding: 'string' });
  await meta.put('format', '1', 1);
  await meta.put('epoch', '', 3);
  root.transactionSync(() => {
    for (let n = 0; n < count; n += 1) {
      const id = `a${String(n).padStart(5, '0')}`;
      const [state, status] = STATES[n % 3] ?? ['', ''];
      index.putSync(['job', id], JSON.stringify([state, status, n]));
      const row = [n + 1, 7, 'event', 'job', 1, status, '0'.repeat(16), state, {}, { type: 'A' }];
      journal.putSync([id, 1], JSON.stringify(row));
    }
  });
  await root.close();
}

const STATES = [
  ['open', 'active'],
  ['shut', 'done'],
  ['paid.late', 'active'],
] as const;

async function facts() {
  const root = open({ path: dir.path, maxDbs: 32, encoding: 'string', readOnly: true });
  const text = (name: string) => root.openDB<string, string>(name, { encoding: 'string' });
  const found = {
    format: root.openDB('meta', { encoding: 'string', useVersions: true }).get('format'),
    facets: withoutChecksum(text('marks')?.get('facets')),
    rows: text('facets')?.getKeysCount() ?? 0,
  };
  await root.close();
  return found;
}

function withoutChecksum(text: string | undefined): string | undefined {
  return text?.split('\u0001')[0];
}

async function facetsOf(store: ReturnType<typeof openEngineStore>): Promise<string[]> {
  await store.commit([]);
  const root = open({ path: dir.path, maxDbs: 32, encoding: 'string', readOnly: true });
  const keys = [
    ...root.openDB('facets', { encoding: 'string' }).getKeys(),
  ] as unknown as string[][];
  await root.close();
  return keys.map(([, facet, value]) => `${facet}/${value}`);
}

function listed(state: string, status: 'active' | 'done') {
  return { id: 'a', kind: 'k', state, status, seq: 1, createdAt: 1, at: 1 };
}
