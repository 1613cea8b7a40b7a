import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { Environment } from '../../../src/store/common/environment.ts';
import type { Op } from '../../../src/store/engine/commit-queue.ts';
import { LmdbEventLog } from '../../../src/store/session/mcp-events.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
let environment: Environment;
let clock: SimulatedClock;
let writes: Op[][];
beforeEach(() => {
  dir = tempDir();
  environment = new Environment({ path: dir.path }, 1);
  clock = new SimulatedClock(1_000);
  writes = [];
  const write = environment.write.bind(environment);
  environment.write = (ops, onDisk) => {
    writes.push([...ops]);
    write(ops, onDisk);
  };
});
afterEach(async () => {
  await environment.close();
  dir.remove();
});

test('messages within 5 ms are one write, and can be read before it', async () => {
  const log = new LmdbEventLog(environment, clock);
  const first = log.append('s', 'x', '1');
  await clock.advance(4);
  const second = log.append('s', 'x', '2');
  log.append('t', 'x', '3');
  expect(log.after('s', first)).toEqual([{ eventId: second, json: '2' }]);
  expect(writes).toEqual([]);
  await clock.advance(1);
  expect(writes.map((ops) => ops.map(({ key, text }) => [key, text]))).toEqual([
    [
      [['s', 0], 'x\n1\0x\n2'],
      [['t', 0], 'x\n3'],
    ],
  ]);
  log.append('s', 'x', '4');
  await clock.advance(5);
  expect(writes).toHaveLength(2);
});

test('rows that are pushed out before their write are neither written nor removed', async () => {
  const log = new LmdbEventLog(environment, clock);
  for (let n = 0; n < 32 + 256; n += 1) log.append('s', 'x', String(n));
  await clock.advance(5);
  expect(writes.map((ops) => ops.map(({ key }) => key))).toEqual([
    [32, 64, 96, 128, 160, 192, 224, 256].map((first) => ['s', first]),
  ]);
});

test('a row is removed with its last message, and its dropped ones do not come back', async () => {
  const log = new LmdbEventLog(environment, clock);
  for (let n = 0; n < 256; n += 1) log.append('s', 'x', `a${n}`);
  await clock.advance(5);
  for (let n = 256; n < 256 + 31; n += 1) log.append('s', 'x', `a${n}`);
  await onDisk(log);
  expect(writes.at(-1)?.filter(({ text }) => text === undefined)).toEqual([]);
  await appendToMany(log);
  expect(log.after('s', 'x:30')).toBeUndefined();
  expect(log.after('s', 'x:31')).toHaveLength(255);
  log.append('s', 'x', 'one more');
  await clock.advance(5);
  expect(writes.at(-1)?.map(({ key, text }) => [key, text])).toEqual([
    [['s', 287], 'x\none more'],
    [['s', 0], undefined],
  ]);
});

test('long messages have rows of their own, and streams of one session share rows', async () => {
  const log = new LmdbEventLog(environment, clock);
  const long = 'l'.repeat(16_384);
  for (const [stream, json] of [
    ['x', long],
    ['x', '1'],
    ['y', '2'],
    ['x', '3'],
  ] as const) {
    log.append('s', stream, json);
  }
  await onDisk(log);
  expect(writes[0]?.map(({ text }) => text)).toEqual([`x\n${long}`, 'x\n1\0y\n2\0x\n3']);
  const reopened = new LmdbEventLog(environment, clock);
  expect(reopened.after('s', 'x:0')?.map(({ eventId, json }) => [eventId, json])).toEqual([
    ['x:1', '1'],
    ['x:3', '3'],
  ]);
  expect(reopened.last('s', 'y')).toEqual({ eventId: 'y:2', json: '2' });
});

test('rows of an older program, with one message each, are read', async () => {
  const db = environment.openTable('events');
  await environment.commit([
    { db, key: ['s', 0], text: 'x\n1' },
    { db, key: ['s', 1], text: 'x\n' },
    { db, key: ['s', 2], text: 'x\n3' },
  ]);
  const log = new LmdbEventLog(environment, clock);
  expect(log.after('s', 'x:0')?.map(({ json }) => json)).toEqual(['', '3']);
});

test('a write begins at once with the 2,048th change', () => {
  const log = new LmdbEventLog(environment, clock);
  for (let n = 0; n < 2_047; n += 1) log.append(`s${n}`, 'x', '{}');
  expect(writes).toEqual([]);
  log.append('s2047', 'x', '{}');
  expect(writes.map((ops) => ops.length)).toEqual([2_048]);
});

test('closing writes what is gathered, and nothing is written afterwards', async () => {
  const log = new LmdbEventLog(environment, clock);
  log.append('s', 'x', '1');
  log.append('t', 'x', '2');
  log.close();
  expect(writes.map((ops) => ops.length)).toEqual([2]);
  log.append('s', 'x', '3');
  await clock.advance(1_000);
  expect(writes).toHaveLength(1);
});

test('a message stays readable while it moves from memory to the disk', async () => {
  const log = new LmdbEventLog(environment, clock);
  const first = log.append('s', 'x', '{"n":1}');
  const second = log.append('s', 'x', '{"n":2}');
  const rows = [{ eventId: second, json: '{"n":2}' }];
  await clock.advance(5);
  expect(log.after('s', first)).toEqual(rows);
  await environment.commit([]);
  expect(log.after('s', first)).toEqual(rows);
});

test('to append reads nothing, in a new session and in one whose list was given up', async () => {
  const log = new LmdbEventLog(environment, clock);
  const table = environment.openTable('events');
  let reads = 0;
  const getRange = table.getRange.bind(table);
  table.getRange = (options) => {
    reads += 1;
    return getRange(options);
  };
  await appendToMany(log);
  await appendToMany(log);
  expect(reads).toBe(0);
});

test('a session whose list was given up replays all of it and keeps its numbers and bounds', async () => {
  const log = new LmdbEventLog(environment, clock);
  for (let n = 0; n < 255; n += 1) log.append('a', 'x', `a${n}`);
  await onDisk(log);
  await appendToMany(log);
  expect(log.append('a', 'x', 'a255')).toBe('x:255');
  const after = log.after('a', 'x:252')?.map(({ eventId, json }) => [eventId, json]);
  expect(after).toEqual([
    ['x:253', 'a253'],
    ['x:254', 'a254'],
    ['x:255', 'a255'],
  ]);
  await onDisk(log);
  await appendToMany(log);
  log.append('a', 'x', 'a256');
  log.append('a', 'x', 'a257');
  await onDisk(log);
  expect(log.after('a', 'x:1')).toBeUndefined();
  expect(log.after('a', 'x:2')).toHaveLength(255);
  expect(environment.openTable('events').count({ start: ['a'], end: ['b'] })).toBe(10);
});

test('an ended session leaves no rows, though its list was given up', async () => {
  const log = new LmdbEventLog(environment, clock);
  log.append('a', 'x', '1');
  await onDisk(log);
  await appendToMany(log);
  log.dropSession('a');
  expect(log.last('a', 'x')).toBeUndefined();
  await onDisk(log);
  expect(environment.openTable('events').count({ start: ['a'], end: ['b'] })).toBe(0);
});

/** One message in each of more sessions than have a list. */
async function appendToMany(log: LmdbEventLog): Promise<void> {
  for (let n = 0; n < 2_001; n += 1) log.append(`many-${n}`, 'x', '{}');
  await onDisk(log);
}

async function onDisk(log: LmdbEventLog): Promise<void> {
  await clock.advance(5);
  // A commit behind them is done when they are.
  await environment.commit([{ db: environment.openTable('events'), key: ['~'], text: '' }]);
  expect(log.writes.written).toBeGreaterThan(0);
}
