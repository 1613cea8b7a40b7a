import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/domain/common/time.ts';
import type { LogLine } from '../../../src/domain/hosting/records.ts';
import { LogRig, MORNING } from '../../support/log-rig.ts';
import { seeded } from '../../support/seeded.ts';

const OPEN = { rate: { linesPerSecond: 1_000_000, burst: 1_000_000 } };
let rig: LogRig;

beforeEach(() => {
  rig = new LogRig(OPEN);
});
afterEach(async () => {
  await rig.close();
});

test('a line is found with its labels, its level read from its text', async () => {
  await rig.put([{ message: '[WARN] low on fuel', instance: 'inst-1' }]);
  const [line] = await rig.lines();
  expect(line).toEqual({
    id: expect.stringMatching(/^srv-a-\d{13}-\d{6}$/),
    timestamp: expect.stringMatching(/^2026-11-22T08:00:00\.000\d{6}Z$/),
    message: '[WARN] low on fuel',
    labels: { resource: 'srv-a', type: 'app', level: 'warning', instance: 'inst-1' },
  });
});

test('lines of one millisecond keep their order and have times of their own', async () => {
  await rig.put(Array.from({ length: 300 }, () => ({ at: MORNING })));
  const lines = await rig.lines({ limit: 7 });
  expect(lines.map(({ message }) => message)).toEqual(
    Array.from({ length: 300 }, (_, n) => `line ${n + 1}`),
  );
  const times = lines.map(({ timestamp }) => timestamp);
  expect(new Set(times).size).toBe(300);
  expect([...times].sort()).toEqual(times);
});

test('a later line of a resource is never dated before an earlier one, and never ahead', async () => {
  const asked = [MORNING - 5_000, MORNING - 9_000, MORNING + HOUR_MS, MORNING - 2 * DAY_MS];
  await rig.put(asked.map((at) => ({ at })));
  const lines = await rig.lines();
  expect(lines.map(({ message }) => message)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  expect(lines.map(({ timestamp }) => timestamp.slice(0, 23))).toEqual([
    '2026-11-22T07:59:55.000',
    '2026-11-22T07:59:55.000',
    '2026-11-22T08:00:00.000',
    '2026-11-22T08:00:00.000',
  ]);
});

test('what is handed over twice is there once, also after a restart', async () => {
  const lines = ['one', 'two', 'three'].map((message) => rig.numbered({ message }));
  await rig.hand(lines.slice(0, 2));
  await rig.hand(lines);
  await rig.reopen();
  expect(rig.logs.storedUntil('spool')).toBe(3);
  await rig.hand([...lines, rig.numbered({ message: 'four' })]);
  expect(await rig.messages()).toEqual(['one', 'two', 'three', 'four']);
});

test('a source that was let go of begins anew', async () => {
  await rig.put([{ message: 'one' }]);
  const forgotten = rig.logs.forget('spool');
  await rig.clock.advance(100);
  await forgotten;
  await rig.reopen();
  expect(rig.logs.storedUntil('spool')).toBe(0);
});

test('many lines become chunks that say the same, before and after a restart', async () => {
  const lines = Array.from({ length: 3_000 }, (_, n) => ({ message: `[DEBUG] ${n}` }));
  await rig.put(lines);
  await rig.put([{ message: 'the last one' }]);
  const expected = [...lines.map(({ message }) => message), 'the last one'];
  expect(await rig.messages()).toEqual(expected);
  await rig.reopen();
  expect(await rig.messages()).toEqual(expected);
  expect(await rig.messages({ direction: 'backward' })).toEqual(expected.toReversed());
});

test('each filter takes the lines that it names, alternatives together, labels apart', async () => {
  await rig.put([
    { message: 'plain' },
    { type: 'request', host: 'a.test', statusCode: '200', method: 'GET', path: '/users/1' },
    { type: 'request', host: 'a.test', statusCode: '404', method: 'GET', path: '/nothing' },
    { type: 'request', host: 'b.test', statusCode: '500', method: 'POST', path: '/users/2' },
    { type: 'build', message: 'Compiled 12 files', level: 'debug' },
  ]);
  for (const isSealed of [false, true]) {
    if (isSealed) await seal();
    const found = async (query: object) => (await rig.messages(query)).join();
    expect(await found({ type: ['request'] })).toBe('line 2,line 3,line 4');
    expect(await found({ host: ['a.test'] })).toBe('line 2,line 3');
    expect(await found({ statusCode: ['4*', '/^5\\d\\d$/'] })).toBe('line 3,line 4');
    expect(await found({ statusCode: ['200'], method: ['POST'] })).toBe('');
    expect(await found({ path: ['/users/*'] })).toBe('line 2,line 4');
    expect(await found({ path: ['/nothing'] })).toBe('line 3');
    expect(await found({ level: ['debug'] })).toBe('Compiled 12 files');
    expect(await found({ text: ['compiled*FILES'] })).toBe('Compiled 12 files');
    expect(await found({ text: ['/\\b1\\d files$/'] })).toBe('Compiled 12 files');
    expect(await found({ text: ['/compiled/'] })).toBe('');
    expect(await found({ type: ['build'], host: ['*'] })).toBe('');
  }
});

test('a pattern that would run for ever elsewhere answers', async () => {
  await rig.put([{ message: `${'a'.repeat(5_000)}!` }]);
  expect(await rig.messages({ text: ['/^(a+)+$/'] })).toEqual([]);
});

test('the values of a label are those of the lines that fit', async () => {
  await rig.put([
    { level: 'error', instance: 'one' },
    { level: 'info', instance: 'two', type: 'build' },
    { type: 'request', level: 'info', host: 'a.test', path: '/x', message: 'hit' },
    { type: 'request', level: 'error', host: 'b.test', path: '/y' },
    { resource: 'srv-b', instance: 'of another' },
  ]);
  for (const isSealed of [false, true]) {
    if (isSealed) await seal();
    const values = (label: 'host' | 'level' | 'instance' | 'type', query: object = {}) =>
      rig.logs.labelValues({ ...rig.whole(), label, ...query });
    expect(await values('level')).toEqual(['error', 'info']);
    expect(await values('instance')).toEqual(['one', 'two']);
    expect(await values('type')).toEqual(['app', 'build', 'request']);
    expect(await values('host', { level: ['error'] })).toEqual(['b.test']);
    expect(await values('host', { path: ['/x'] })).toEqual(['a.test']);
    expect(await values('level', { text: ['hit'] })).toEqual(['info']);
    expect(await values('level', { endTime: '2026-11-22T08:00:00Z' })).toEqual([]);
  }
});

test('a line above 16 KiB keeps its beginning, whole characters, and a mark', async () => {
  await rig.put([{ message: '€'.repeat(6_000) }, { message: 'x'.repeat(16_384) }]);
  const [long, exact] = await rig.messages();
  expect(long).toBe(`${'€'.repeat(5_461)} [1617 bytes cut]`);
  expect(exact).toBe('x'.repeat(16_384));
});

test('beyond its rate a resource is told how many lines it lost; others lose none', async () => {
  await rig.close();
  rig = new LogRig({ rate: { linesPerSecond: 10, burst: 100 } });
  await rig.put(Array.from({ length: 250 }, () => ({})));
  await rig.put([{ resource: 'srv-b', message: 'of another' }]);
  await rig.clock.advance(1_000);
  await rig.put([{ message: 'again' }]);
  const messages = await rig.messages();
  expect(messages).toHaveLength(102);
  expect(messages.at(100)).toBe('150 lines dropped: more than 10 lines per second');
  expect(messages.at(101)).toBe('again');
  expect(await rig.messages({ resource: ['srv-b'] })).toEqual(['of another']);
  expect(rig.logs.storedUntil('spool')).toBe(252);
});

test('a reader who follows gets each line once, from the call on, until it has enough', async () => {
  await rig.put([{ message: 'before' }]);
  const over = new AbortController();
  const lines = rig.logs.tail({ resource: ['srv-a'] }, over.signal);
  await rig.put([{ message: 'one' }, { resource: 'srv-b' }, { message: 'two' }]);
  const seen: string[] = [];
  const done = (async () => {
    for await (const { message } of lines) seen.push(message);
  })();
  await rig.put([{ message: 'three' }]);
  await expect.poll(() => seen).toEqual(['one', 'two', 'three']);
  over.abort();
  await done;
  await rig.put([{ message: 'after' }]);
  expect(seen).toEqual(['one', 'two', 'three']);
});

test('a reader who is too slow is told how many lines are not shown', async () => {
  const over = new AbortController();
  const lines = rig.logs.tail({ resource: ['srv-a'] }, over.signal);
  await rig.put(Array.from({ length: 1_500 }, () => ({})));
  const seen: LogLine[] = [];
  for await (const line of lines) {
    seen.push(line);
    if (line.message.includes('skipped')) over.abort();
  }
  expect(seen).toHaveLength(1_001);
  expect(seen.at(-1)?.message).toBe('500 lines skipped: the reader is too slow');
});

test('each day has a folder; those beyond the age go, and a query reaches over the others', async () => {
  await rig.close();
  rig = new LogRig({ ...OPEN, retention: { daysMax: 3, bytesMax: 1024 ** 3 } });
  for (let day = 0; day < 6; day += 1) {
    await rig.put([{ message: `day ${day}` }]);
    await rig.clock.advance(DAY_MS);
  }
  await rig.put([{ message: 'today' }], 'another spool');
  await rig.logs.trim();
  expect(readdirSync(rig.dir.path)).toEqual(['2026-11-26', '2026-11-27', '2026-11-28']);
  expect(await rig.messages()).toEqual(['day 4', 'day 5', 'today']);
  expect(await rig.messages({ direction: 'backward', limit: 1 })).toEqual([
    'today',
    'day 5',
    'day 4',
  ]);
  await rig.reopen();
  // What a source has handed over outlives the day on which it did.
  expect(rig.logs.storedUntil('spool')).toBe(6);
  expect(await rig.messages()).toEqual(['day 4', 'day 5', 'today']);
});

test('beyond their bytes the oldest days go, and in the last day the oldest lines', async () => {
  await rig.close();
  rig = new LogRig({ ...OPEN, retention: { daysMax: 30, bytesMax: 1024 * 1024 } });
  const random = seeded(7);
  const noise = () => ({ message: Array.from({ length: 8 }, random).join() });
  for (let n = 0; n < 20; n += 1) {
    await rig.put(Array.from({ length: 2_000 }, noise));
    await rig.put([{ resource: 'srv-quiet' }]);
  }
  await rig.clock.advance(DAY_MS);
  await rig.put([{ message: 'tomorrow' }]);
  await rig.logs.trim();
  expect(readdirSync(rig.dir.path)).toEqual(['2026-11-23']);
  for (let n = 0; n < 20; n += 1) {
    await rig.put(Array.from({ length: 2_000 }, noise));
    await rig.put([{ resource: 'srv-quiet' }]);
  }
  await rig.logs.trim();
  const kept = await rig.messages();
  expect(kept.length).toBeGreaterThan(1_000);
  expect(kept.length).toBeLessThan(20_000);
  expect(kept).not.toContain('tomorrow');
  expect(await rig.messages({ resource: ['srv-quiet'] })).toHaveLength(20);
});

test('at the disk reserve nothing is taken and nothing is lost', async () => {
  await rig.put([{ message: 'one' }]);
  const lines = [rig.numbered({ message: 'two' })];
  await rig.close();
  rig = new LogRig({ ...OPEN, reserveBytes: Number.MAX_SAFE_INTEGER });
  await expect(rig.hand(lines)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(rig.logs.storedUntil('spool')).toBe(0);
});

test('a bad filter or time is refused, with what was received and what is allowed', async () => {
  const bad: readonly [object, string][] = [
    [{ startTime: 'yesterday' }, 'startTime is "yesterday"; it must be RFC 3339'],
    [{ endTime: '2026-11-22' }, 'endTime is "2026-11-22"; it must be RFC 3339'],
    [{ text: ['/(/'] }, 'text has the filter "/(/"; it must be a valid RE2 expression'],
    [{ host: [''] }, 'host has the filter ""; it must have 1 to 512 characters'],
    [{ limit: 101 }, 'limit is 101; it must be an integer from 1 to 100'],
    [{ resource: [] }, 'resource has 0 values; 1 to 100 are allowed'],
    [{ path: Array(101).fill('/') }, 'path has 101 values; 0 to 100 are allowed'],
  ];
  for (const [query, words] of bad) {
    const refused = rig.logs.query({ ...rig.whole(), ...query });
    await expect(refused).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(refused).rejects.toThrow(words);
  }
});

test('a search that finds little ends with a page that goes on where it was', async () => {
  for (let n = 0; n < 70; n += 1) {
    await rig.put(Array.from({ length: 4_000 }, () => ({ message: 'hay' })));
    if (n === 5) await rig.put([{ message: 'a needle' }]);
  }
  const pages = await rig.pages({ text: ['needle'], direction: 'backward' });
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(({ logs }) => logs.map(({ message }) => message))).toEqual(['a needle']);
}, 120_000);

/** Lets the newest lines become chunks. */
async function seal(): Promise<void> {
  await rig.clock.advance(2 * MINUTE_MS);
  await rig.put([{ resource: 'srv-other' }]);
}
