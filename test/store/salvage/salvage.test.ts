import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { openBlobStore } from '../../../src/store/common/blob-store.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { checkStore, salvageStore } from '../../../src/store/salvage/salvage.ts';
import { runCli } from '../../cli/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';

const machine = createMachine({
  id: 'm',
  initial: 'a',
  states: {
    a: { on: { GO: 'b' }, after: { 1000000: 'c' } },
    b: { on: { GO: 'a' }, after: { 2000000: 'c' } },
    c: { type: 'final' },
  },
});
const definitions = [define({ kind: 'm', version: 1, machine, effects: {} })];
const ACTORS = ['first', 'middle', 'last'];
let dir: ReturnType<typeof tempDir>;
let path: string;
let target: string;

beforeEach(async () => {
  dir = tempDir();
  path = join(dir.path, 'store');
  target = join(dir.path, 'new');
  await useEngine(path, async (engine) => {
    for (const id of ACTORS) {
      await engine.create('m', id);
      for (let n = 1; n <= 4; n += 1) {
        await engine.tell(
          id,
          { type: 'GO', text: `needle-${id}-${n}.` },
          { idempotencyKey: `${n}` },
        );
      }
    }
  });
});
afterEach(() => dir.remove());

test('a whole store comes over whole', async () => {
  expect(await checkStore(path)).toMatchObject({ findingCount: 0, wholeActors: 3 });
  expect(await salvageStore(path, target)).toMatchObject({ findingCount: 0, damagedActors: [] });
  expect(await readContent(target)).toEqual(await readContent(path));
  expect(await checkStore(target)).toMatchObject({ findingCount: 0, wholeActors: 3 });
});

test('an actor with a damaged row comes over up to the row before, and all others whole', async () => {
  const before = await readContent(path);
  flipBit('needle-middle-3.');
  const damage = {
    findingCount: 1,
    findings: [
      { family: 'journal', actor: 'middle', what: expect.stringContaining('["middle",4]') },
    ],
    wholeActors: 2,
    damagedActors: [{ id: 'middle', loss: 'comes over up to row 3 of 5' }],
  };
  expect(await checkStore(path)).toMatchObject(damage);
  expect(await salvageStore(path, target)).toMatchObject(damage);
  const after = await readContent(target);
  for (const id of ['first', 'last']) expect(after.actors[id]).toEqual(before.actors[id]);
  expect(after.actors['middle']?.tail.map(({ seq }) => seq)).toEqual([2, 3]);
  expect(after.timers.find(({ id }) => id === 'middle')?.row).toMatchObject({ due: 1_000_001 });
  expect(await checkStore(target)).toMatchObject({ findingCount: 0, wholeActors: 3 });
  await useEngine(target, async (engine) => {
    expect((await engine.view('middle'))?.value).toBe('a');
    // Its lost calls can be repeated.
    const ack = await engine.tell('middle', { type: 'GO' }, { idempotencyKey: '3' });
    expect(ack).toMatchObject({ seq: 4, value: 'b' });
    const kept = { type: 'GO', text: 'needle-middle-2.' };
    expect(await engine.tell('middle', kept, { idempotencyKey: '2' })).toMatchObject({
      seq: 3,
    });
  });
});

test('an actor whose history is damaged before its last snapshot comes over in its last state', async () => {
  await useEngine(path, async (engine) => engine.tell('middle', { type: 'GO' }), {
    isClosed: true,
  });
  flipBit('needle-middle-1.');
  const { damagedActors } = await salvageStore(path, target);
  expect(damagedActors).toEqual([
    {
      id: 'middle',
      loss: 'comes over in its last state; rows 1 to 6 of its history are lost',
    },
  ]);
  await useEngine(target, async (engine) => {
    expect(await engine.view('middle')).toMatchObject({ seq: 6, value: 'b' });
  });
});

test('an actor without a readable snapshot is named, and the others come over', async () => {
  flipSnapshot('middle');
  const { damagedActors, wholeActors } = await salvageStore(path, target);
  expect(damagedActors).toEqual([
    { id: 'middle', loss: expect.stringContaining('cannot be recovered') },
  ]);
  expect(wholeActors).toBe(2);
  expect(Object.keys((await readContent(target)).actors)).toEqual(['first', 'last']);
});

test('damaged timers are rebuilt from the rows of their actor', async () => {
  const before = await readContent(path);
  flipBit('"token":"middle:5:');
  const { damagedActors } = await salvageStore(path, target);
  expect(damagedActors).toEqual([{ id: 'middle', loss: expect.stringContaining('rebuilt') }]);
  expect((await readContent(target)).timers).toEqual(before.timers);
});

test('whatever is damaged, a new store is whole and contains no row that was not written', async () => {
  const before = await readContent(path);
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  for (let page = 0; page * 4_096 < whole.length; page += 1) {
    const bytes = Buffer.from(whole);
    bytes.fill(0, page * 4_096, (page + 1) * 4_096);
    writeFileSync(file, bytes);
    const place = join(dir.path, `new-${page}`);
    const report = await salvageStore(path, place);
    if (!report.isEngineStore) continue;
    expect(await checkStore(place), `page ${page}`).toMatchObject({ findingCount: 0 });
    const { journal } = await readContent(place);
    expect(before.journal).toEqual(expect.arrayContaining([...journal]));
    if (report.damagedActorCount === 0 && report.wholeActors === 3) {
      expect(journal, `page ${page}`).toEqual(before.journal);
    }
  }
});

test('the commands print the verdict first, each finding, and what comes over', async () => {
  const whole = await runCli(['store', 'check', path]);
  expect(whole).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The store is whole: \d+ rows of 3 actors\.\n/),
  });
  flipBit('needle-middle-3.');
  const checked = await runCli(['store', 'check', path]);
  expect(checked.code).toBe(1);
  expect(checked.stdout.split('\n')).toEqual([
    expect.stringMatching(/^The store is damaged: 1 finding\. Readable: \d+ rows of 3 actors;/),
    `file: ${join(path, 'data.mdb')}`,
    expect.stringMatching(
      /^page \d+, row \d+, journal, actor middle: the row \["middle",4\] is dam/,
    ),
    'actor middle: comes over up to row 3 of 5',
    '',
  ]);
  const salvaged = await runCli(['store', 'salvage', path, target]);
  expect(salvaged).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('2 actors whole, 1 in'),
  });
  const again = await runCli(['store', 'salvage', path, target]);
  expect(again.stderr).toContain('holds a store already');
  const none = await runCli(['store', 'check', dir.path]);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('holds no store') });
  const store = openEngineStore({ path });
  const busy = await runCli(['store', 'check', path]);
  const pid = String(process.pid);
  expect(busy).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`DATA_DIR_BUSY: Process ${pid}`),
  });
  await store.close();
}, 300_000);

test('a check says which process has the store open', async () => {
  const store = openEngineStore({ path });
  await expect(checkStore(path)).rejects.toMatchObject({
    code: 'STORE_BUSY',
    data: { path, pid: process.pid },
  });
  await store.close();
});

test('a truncated file and a damaged meta page give up what can be reached', async () => {
  const copy = join(dir.path, 'copy');
  cpSync(path, copy, { recursive: true });
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  bytes.fill(0, 4_096, 8_192);
  writeFileSync(file, bytes);
  const report = await salvageStore(path, target);
  expect(report.findings[0]?.place).toBe('meta pages');
  expect(report.wholeActors + report.damagedActorCount).toBe(3);
  truncateSync(join(copy, 'data.mdb'), 9_000);
  const cut = await checkStore(copy);
  expect(cut.findingCount).toBeGreaterThan(0);
});

test('a store that is not of an engine has its pages checked', async () => {
  const other = join(dir.path, 'other');
  const blobs = openBlobStore({ path: other });
  await blobs.put('a text');
  await blobs.close();
  expect(await checkStore(other)).toMatchObject({ findingCount: 0, isEngineStore: false });
  const file = join(other, 'data.mdb');
  truncateSync(file, 9_000);
  expect((await checkStore(other)).findingCount).toBeGreaterThan(0);
});

async function useEngine(
  place: string,
  use: (engine: ActorEngine) => Promise<unknown>,
  { isClosed = false } = {},
): Promise<void> {
  const store = openEngineStore({ path: place });
  const engine = await createEngine({ store, clock: new SimulatedClock(1), definitions });
  await use(engine);
  // A close would write snapshots.
  if (isClosed) await engine.close();
  await store.close();
}

async function readContent(place: string) {
  const store = openEngineStore({ path: place });
  const { rows } = store.list({ limit: 1_000 });
  const actors = Object.fromEntries(
    ACTORS.flatMap((id) => {
      const actor = store.load(id);
      return actor === undefined ? [] : [[id, actor]];
    }),
  );
  const journal = store.feed(0, 1_000);
  const timers = store.dueTimers(Number.MAX_SAFE_INTEGER, 1_000);
  const keys = ACTORS.map((id) => store.idempotency(id, '2'));
  await store.close();
  return { rows, actors, journal, timers, keys };
}

function flipSnapshot(id: string): void {
  flipBit(`"token":"${id}:1:`, -40);
}

/** Flips one bit beside every occurrence of a text in the file. */
function flipBit(text: string, offset = 3): void {
  const file = join(path, 'data.mdb');
  const bytes = readFileSync(file);
  let found = bytes.indexOf(text);
  expect(found).toBeGreaterThan(0);
  for (; found >= 0; found = bytes.indexOf(text, found + 1)) {
    bytes.writeUInt8(bytes.readUInt8(found + offset) ^ 4, found + offset);
  }
  writeFileSync(file, bytes);
}
