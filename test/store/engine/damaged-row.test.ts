import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { computeCrc32, openText, sealText } from '../../../src/store/common/row-checksum.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { checkStore } from '../../../src/store/salvage/salvage.ts';
import { dead, entry, letterId, listed } from '../../support/store-rows.ts';
import { tempDir } from '../../support/temp-dir.ts';

const machine = createMachine({ id: 'm', initial: 'a', states: { a: { on: { GO: 'a' } } } });
const definitions = [define({ kind: 'm', version: 1, machine, effects: {} })];
let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

test('a flipped bit in a row ends one actor with a typed error; all others go on', async () => {
  await runEngine(async (engine) => {
    for (const id of ['broken', 'whole']) {
      await engine.create('m', id);
      await engine.tell(id, { type: 'GO', text: `needle-${id}` });
      await engine.tell(id, { type: 'GO' });
    }
  });
  flipBit('needle-broken');
  const notices: string[] = [];
  await runEngine(async (engine) => {
    const damage = {
      code: 'DATA_DAMAGED',
      message: expect.stringContaining('["broken",2]'),
      data: {
        file: join(dir.path, 'data.mdb'),
        family: 'journal',
        key: '["broken",2]',
        actor: 'broken',
        readableUpTo: 1,
      },
    };
    await expect(readAll(engine.journal('broken'))).rejects.toMatchObject(damage);
    engine.watch('broken', 1, () => undefined);
    const seen: string[] = [];
    engine.feed(0, ({ id, seq }) => seen.push(`${id} ${seq}`));
    expect(await readAll(engine.journal('whole'))).toHaveLength(3);
    await engine.tell('whole', { type: 'GO' });
    expect((await engine.list({})).rows.map(({ id }) => id)).toEqual(['broken', 'whole']);
    await expect.poll(() => seen.length).toBe(6);
    expect(seen).not.toContain('broken 2');
    // The snapshot of the last close is whole.
    await engine.stop('broken');
    await engine.purge('broken');
    expect((await engine.list({})).rows.map(({ id }) => id)).toEqual(['whole']);
  }, notices);
  expect(notices).toContain('listener_failed');
  expect(notices).toContain('row_damaged');
});

test('an actor with a damaged row after its last snapshot can be stopped and purged', async () => {
  await runEngine(async (engine) => {
    await engine.create('m', 'broken');
    await engine.create('m', 'whole');
    await engine.tell('broken', { type: 'GO' });
  });
  await runEngine(
    async (engine) => {
      await engine.tell('broken', { type: 'GO', text: 'needle' });
      await engine.tell('broken', { type: 'GO' });
      await engine.tell('whole', { type: 'GO' });
    },
    [],
    { isKilled: true },
  );
  flipBit('needle');
  await runEngine(async (engine) => {
    const damaged = { code: 'DATA_DAMAGED', data: { readableUpTo: 2 } };
    await expect(engine.tell('broken', { type: 'GO' })).rejects.toMatchObject(damaged);
    expect(await engine.stop('broken')).toMatchObject({ seq: 5 });
  });
  await runEngine(async (engine) => {
    expect((await engine.list({})).rows).toMatchObject([{ status: 'stopped' }, {}]);
    await engine.purge('broken');
    expect((await engine.list({})).rows).toMatchObject([{ id: 'whole', seq: 2 }]);
  });
});

test('an actor without a readable snapshot can be stopped and purged', async () => {
  await runEngine(async (engine) => {
    await engine.create('m', 'broken');
  });
  flipBit('"createdAt"');
  await runEngine(async (engine) => {
    await engine.stop('broken');
    await engine.purge('broken');
    expect((await engine.list({})).rows).toEqual([]);
  });
});

test('each damaged row that a feed or a list leaves out is reported once, and nothing else is left out', async () => {
  const store = openEngineStore({ path: dir.path });
  for (let seq = 1; seq <= 40; seq += 1) {
    const row = {
      ...entry('a', seq),
      globalSeq: seq,
      event: { type: 'A', text: `needle-${seq}.` },
    };
    await store.commit([{ put: 'journal', row }, dead(letterId(seq), seq)]);
  }
  await store.commit([{ put: 'index', row: listed('a', 1, 'active') }]);
  await store.close();
  flipBit('needle-3.');
  flipBit(`"deadLetterId":"${letterId(3)}"`);
  flipBit('["x","active",');
  const again = openEngineStore({ path: dir.path });
  expect(again.feed(1, 10).map(({ seq }) => seq)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(again.list({}).rows).toEqual([]);
  const first = again.deadLetters(undefined, 30);
  expect(first.rows).toHaveLength(30);
  expect(again.deadLetters(first.cursor, 30).rows).toHaveLength(9);
  const seen: unknown[] = [];
  again.watchDamage?.(({ data }) => seen.push(data['family']));
  again.feed(1, 10);
  expect(new Set(seen)).toEqual(new Set(['dead', 'index', 'journal']));
  expect(seen).toHaveLength(3);
  await again.close();
});

test('a row under another key and a row that was cut are damaged', () => {
  const sealed = sealText(['a', 1], '[1,"x"]');
  expect(openText(['a', 1], sealed)).toBe('[1,"x"]');
  expect(openText(['a', 2], sealed)).toBeUndefined();
  for (let length = 1; length < sealed.length; length += 1) {
    expect(openText(['a', 1], sealed.slice(0, length)), `${length}`).toBeUndefined();
  }
});

test('every flipped bit of a row is noticed', () => {
  const bytes = Buffer.from(sealText('k', '{"n":"äé1"}'));
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(openText('k', flipped.toString()), `bit ${bit}`).toBeUndefined();
  }
});

test('a store of format 3 gets its checksums, and older programs refuse it from then on', async () => {
  await runEngine(async (engine) => {
    await engine.create('m', 'old');
    await engine.tell('old', { type: 'GO', text: 'ä' }, { idempotencyKey: 'k' });
  });
  const stripped = await stripChecksums();
  expect(await checkStore(dir.path)).toMatchObject({ findingCount: 0, wholeActors: 1 });
  await runEngine(async (engine) => {
    expect(await engine.view('old')).toMatchObject({ seq: 2, value: 'a' });
    expect(await readAll(engine.journal('old'))).toHaveLength(2);
    const again = { type: 'GO', text: 'ä' };
    const repeated = await engine.tell('old', again, { idempotencyKey: 'k' });
    expect(repeated).toMatchObject({ seq: 2 });
    await expect.poll(countUnsealed).toBe(0);
    expect(await engine.tell('old', { type: 'GO' })).toMatchObject({ seq: 3 });
  });
  const root = open<string, string>({ path: dir.path, maxDbs: 32, noSubdir: false });
  const meta = root.openDB<string, string>('meta', { encoding: 'string', useVersions: true });
  expect(meta.get('format')).toBe('4');
  await root.close();
  expect(stripped).toBeGreaterThan(5);
  expect(await checkStore(dir.path)).toMatchObject({ findingCount: 0, wholeActors: 1 });
});

test('the upgrade of a large store goes on while it is written, and resumes at the next opening', async () => {
  const store = openEngineStore({ path: dir.path });
  for (let n = 0; n < 9_000; n += 3_000) {
    const writes = Array.from({ length: 3_000 }, (_, at) => dead(letterId(n + at), n + at));
    await store.commit(writes);
  }
  await store.close();
  await stripChecksums();
  const again = openEngineStore({ path: dir.path });
  await again.commit([{ del: 'dead', deadLetterId: letterId(8_999) }]);
  await again.close();
  expect(await countUnsealed()).toBeGreaterThan(1_000);
  expect(await checkStore(dir.path)).toMatchObject({ findingCount: 0 });
  const third = openEngineStore({ path: dir.path });
  await expect.poll(countUnsealed).toBe(0);
  expect(third.deadLetter(letterId(8_999))).toBeUndefined();
  expect(third.deadLetter(letterId(8_998))).toMatchObject({ at: 8_998 });
  await third.close();
});

test('a row of an older program that is not JSON is damaged, and so is one without a checksum later', async () => {
  await openEngineStore({ path: dir.path }).close();
  const text = JSON.stringify([1, 5, 0, 'job', 1, 0, 'h', 'x', 0, { type: 'A' }]);
  const putRaw = async (seq: number, raw: string) => {
    const root = open<string, string>({ path: dir.path, maxDbs: 32, noSubdir: false });
    const journal = root.openDB<string, [string, number]>('journal', { encoding: 'string' });
    await journal.put(['a', seq], raw);
    await root.close();
  };
  await putRaw(1, text);
  await stripChecksums();
  await putRaw(2, text.replace('[', '{'));
  const store = openEngineStore({ path: dir.path });
  expect(store.readJournal('a', 1, 1)[0]).toMatchObject({ seq: 1, at: 5, event: { type: 'A' } });
  const damage = expect.objectContaining({ code: 'DATA_DAMAGED' });
  expect(() => store.readJournal('a', 1, 2)).toThrow(damage);
  await expect.poll(countUnsealed).toBe(1);
  await store.close();
  await putRaw(2, text);
  const again = openEngineStore({ path: dir.path });
  expect(() => again.readJournal('a', 1, 2)).toThrow(damage);
  await again.close();
});

test('a compaction keeps the checksums', async () => {
  const store = openEngineStore({ path: dir.path });
  await store.commit([{ put: 'journal', row: entry('a', 1) }]);
  const compacting = store.compact?.({ force: true });
  await store.commit([{ put: 'journal', row: entry('a', 2) }]);
  await compacting;
  await store.close();
  const again = openEngineStore({ path: dir.path });
  expect(again.readJournal('a', 1, 10)).toHaveLength(2);
  await again.close();
  expect(readFileSync(join(dir.path, 'data.mdb')).includes('\u0001')).toBe(true);
});

test('Node before 20.15 computes the same checksum', () => {
  for (const text of ['', 'a', 'äé\u{1f600}', 'x'.repeat(10_000)]) {
    expect(computeCrc32(text, 0)).toBe(zlib.crc32(text, 0));
    expect(computeCrc32(text, 77)).toBe(zlib.crc32(text, 77));
  }
});

type Engine = Awaited<ReturnType<typeof createEngine>>;

async function runEngine(
  use: (engine: Engine) => Promise<void>,
  notices: string[] = [],
  { isKilled = false } = {},
): Promise<void> {
  const store = openEngineStore({ path: dir.path });
  const onNotice = ({ kind }: { readonly kind: string }) => notices.push(kind);
  const engine = await createEngine({ store, clock: new SimulatedClock(1), definitions, onNotice });
  await use(engine);
  if (!isKilled) await engine.close();
  await store.close();
}

/** Makes every row what a program of format 3 has written, and returns how many. */
async function stripChecksums(): Promise<number> {
  const root = open<string, string>({ path: dir.path, maxDbs: 32, noSubdir: false });
  let stripped = 0;
  for (const name of [...root.getKeys()].filter((each) => each !== 'meta')) {
    const table = root.openDB<string, string>(name, { encoding: 'string' });
    const rows = [...table.getRange()];
    await root.transaction(() => {
      for (const { key, value } of rows) {
        if (key === 'checksums') void table.remove(key);
        else if (value.at(-8) === '\u0001') void table.put(key, value.slice(0, -8));
      }
    });
    stripped += rows.length;
  }
  const meta = root.openDB<string, string>('meta', { encoding: 'string', useVersions: true });
  await meta.put('format', '3', 1);
  await root.close();
  return stripped;
}

/** Counts the rows without a checksum. */
async function countUnsealed(): Promise<number> {
  const root = open<string, string>({
    path: dir.path,
    maxDbs: 32,
    noSubdir: false,
    readOnly: true,
  });
  let found = 0;
  for (const name of [...root.getKeys()].filter((each) => each !== 'meta')) {
    const table = root.openDB<string, string>(name, { encoding: 'string' });
    for (const { value } of table.getRange()) if (value.at(-8) !== '\u0001') found += 1;
  }
  await root.close();
  return found;
}

async function readAll(rows: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** Flips one bit within every occurrence of a text in the file. */
function flipBit(text: string): void {
  const file = join(dir.path, 'data.mdb');
  const bytes = readFileSync(file);
  let found = bytes.indexOf(text);
  expect(found).toBeGreaterThan(0);
  for (; found >= 0; found = bytes.indexOf(text, found + 1)) {
    bytes.writeUInt8(bytes.readUInt8(found + 3) ^ 4, found + 3);
  }
  writeFileSync(file, bytes);
}
