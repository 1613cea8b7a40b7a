import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/domain/common/time.ts';
import type { LogQuery } from '../../src/domain/hosting/hosting.ts';
import type { LogLine } from '../../src/domain/hosting/records.ts';
import type { NewLogLine } from '../../src/domain/hosting/telemetry/log-ingest.ts';
import { LOG_LEVELS, LOG_TYPES } from '../../src/domain/hosting/value-sets.ts';
import { LogRig, MORNING } from '../support/log-rig.ts';
import { seeded } from '../support/seeded.ts';

// A log of three resources over a midnight, with many lines in one millisecond. The oracle is a
// plain array of what a follower was told, which the queries do not go through.
const SEED = 20_261_122;
const RESOURCES = ['srv-a', 'srv-b', 'dpg-c'];
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'a.b'];
const HOSTS = ['one.test', 'two.test'];
const PATHS = ['/', '/users/1', '/users/2', '/health'];
const rig = new LogRig({ rate: { linesPerSecond: 1_000_000, burst: 1_000_000 } });
const told: LogLine[] = [];
const handed: NewLogLine[] = [];
const over = new AbortController();

beforeAll(async () => {
  const random = seeded(SEED);
  const one = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const follower = (async () => {
    const lines = rig.logs.tail({ resource: RESOURCES }, over.signal);
    for await (const line of lines) told.push(line);
  })();
  await rig.clock.set(MORNING + 15.9 * 60 * MINUTE_MS);
  for (let round = 0; round < 40; round += 1) {
    const lines = Array.from({ length: Math.floor(random() * 250) }, () =>
      rig.numbered({
        resource: random() < 0.6 ? 'srv-a' : one(RESOURCES),
        level: one(LOG_LEVELS),
        message: `${one(WORDS)} ${one(WORDS)}`,
        at: rig.clock.now() - (random() < 0.2 ? 50 : 0),
        ...(random() < 0.5
          ? { type: 'request', host: one(HOSTS), path: one(PATHS), statusCode: one(['200', '404']) }
          : { type: one(LOG_TYPES), instance: one(['i-1', 'i-2']) }),
      }),
    );
    handed.push(...lines);
    await rig.hand(lines);
    await rig.clock.advance(random() < 0.3 ? 2 * MINUTE_MS : 1);
    while (told.length < handed.length) await turn();
  }
  over.abort();
  await follower;
  await rig.reopen();
  const sorted = told.toSorted(byTime);
  told.splice(0, told.length, ...sorted);
}, 120_000);
afterAll(() => rig.close());

test('what a follower is told is what was handed over, each lane in its order', () => {
  expect(told.length).toBeGreaterThan(2_000);
  for (const resource of RESOURCES) {
    for (const type of LOG_TYPES) {
      const given = handed.filter((line) => line.resource === resource && line.type === type);
      const seen = told.filter(
        ({ labels }) => labels.resource === resource && labels.type === type,
      );
      expect(seen.map(({ message }) => message)).toEqual(given.map(({ message }) => message));
    }
  }
  expect(new Set(told.map(({ timestamp }) => timestamp)).size).toBe(told.length);
  expect(new Set(told.map(({ timestamp }) => timestamp.slice(0, 10))).size).toBe(2);
});

const some = (values: readonly string[]) =>
  fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 5 },
    { arbitrary: fc.subarray([...values], { minLength: 1 }), weight: 1 },
  );
const share = (min: number, max: number) =>
  fc.integer({ min, max }).map((percent) => percent / 100);
const QUERY = fc.record({
  resource: fc.subarray(RESOURCES, { minLength: 1 }),
  level: some(LOG_LEVELS),
  type: some(LOG_TYPES),
  host: some(HOSTS),
  statusCode: some(['200', '404', '500']),
  path: some(PATHS),
  text: some(WORDS),
  from: share(-10, 60),
  until: share(40, 110),
  direction: fc.constantFrom('forward' as const, 'backward' as const),
  limit: fc.constantFrom(3, 10, 37, 99, 100),
});

test('pages of any query, in either direction, are the sorted array, cut', async () => {
  const pagesOf = { forward: 0, backward: 0 };
  await fc.assert(
    fc.asyncProperty(QUERY, async ({ from, until, ...asked }) => {
      const filters = Object.fromEntries(
        Object.entries(asked).filter(([, value]) => value !== undefined),
      );
      const query = {
        ...filters,
        direction: asked.direction,
        startTime: timeAt(from),
        endTime: timeAt(until),
        limit: asked.limit,
      } as Partial<LogQuery>;
      const pages = await rig.pages(query);
      pagesOf[asked.direction] += pages.length;
      const found = pages.flatMap(({ logs }) => logs);
      const expected = told.filter((line) => passes(line, query));
      if (asked.direction === 'backward') expected.reverse();
      expect(found.map(({ timestamp }) => timestamp)).toEqual(
        expected.map(({ timestamp }) => timestamp),
      );
      expect(found).toEqual(expected);
      // No page is empty and none but the last is short, as the search is small.
      for (const page of pages.slice(0, -1)) expect(page.logs).toHaveLength(query.limit ?? 0);
    }),
    { seed: SEED, numRuns: 60 },
  );
  // Most queries have many pages, or the claim would say little.
  expect(Math.min(pagesOf.forward, pagesOf.backward)).toBeGreaterThan(500);
}, 120_000);

test('values of a label are those of the array', async () => {
  const labels = fc.constantFrom('host', 'instance', 'level', 'statusCode', 'type');
  await fc.assert(
    fc.asyncProperty(QUERY, labels, async ({ from, until, ...asked }, label) => {
      const filters = Object.fromEntries(
        Object.entries(asked).filter(([, value]) => value !== undefined),
      );
      const query = { ...rig.whole(), ...filters, startTime: timeAt(from), endTime: timeAt(until) };
      const values = await rig.logs.labelValues({ ...query, label: label as 'host' });
      const expected = told
        .filter((line) => passes(line, query))
        .flatMap(({ labels: all }) => all[label as 'host'] ?? []);
      expect(values).toEqual([...new Set(expected)].sort());
    }),
    { seed: SEED, numRuns: 100 },
  );
}, 120_000);

/** The time of the line that stands at a share of all, or beyond them. */
function timeAt(share: number): string {
  const line = told[Math.floor(share * told.length)];
  return line?.timestamp ?? (share < 0 ? '2026-11-20T00:00:00Z' : '2026-11-25T00:00:00Z');
}

function passes({ timestamp, message, labels }: LogLine, query: Partial<LogQuery>): boolean {
  const { startTime = '', endTime = '', text } = query;
  if (timestamp < startTime || timestamp >= endTime) return false;
  if (text !== undefined && !text.some((word) => message.includes(word))) return false;
  return (['resource', 'level', 'type', 'host', 'statusCode', 'path'] as const).every((label) => {
    const wanted = query[label];
    return wanted === undefined || wanted.includes(labels[label] ?? 'none');
  });
}

function byTime(one: LogLine, other: LogLine): number {
  return one.timestamp < other.timestamp ? -1 : 1;
}
