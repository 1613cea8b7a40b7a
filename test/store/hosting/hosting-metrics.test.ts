import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/common/time.ts';
import type { MetricQuery } from '../../../src/domain/hosting/hosting.ts';
import type { HostingMetrics } from '../../../src/domain/hosting/telemetry/hosting-telemetry.ts';
import type { RequestRow } from '../../../src/domain/hosting/telemetry/request-row.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import {
  type MetricOptions,
  openHostingMetrics,
} from '../../../src/store/hosting/hosting-metrics.ts';
import { tempDir } from '../../support/temp-dir.ts';

const MORNING = Date.parse('2026-11-22T08:00:00Z');
let dir: ReturnType<typeof tempDir>;
let clock: SimulatedClock;
let metrics: HostingMetrics;

beforeEach(() => {
  dir = tempDir();
  clock = new SimulatedClock(MORNING + HOUR_MS);
  metrics = open();
});
afterEach(async () => {
  await metrics.close();
  dir.remove();
});

function open(options: Partial<MetricOptions> = {}): HostingMetrics {
  return openHostingMetrics({ path: dir.path, clock, ...options });
}

async function reopen(): Promise<void> {
  await metrics.close();
  metrics = open();
}

function asked(query: Partial<MetricQuery> = {}): MetricQuery {
  return {
    resourceId: 'srv-a',
    type: 'cpu_usage',
    resolutionSec: 30,
    cpuAggregation: 'AVG',
    start: MORNING,
    end: MORNING + HOUR_MS,
    latencyQuantile: 0.95,
    ...query,
  };
}

/** Values of all series: labels but the resource, then `seconds since the morning: value`. */
async function read(query: Partial<MetricQuery> = {}) {
  const series = await metrics.series(asked(query));
  return series.map(({ labels, values, unit }) => ({
    labels: Object.fromEntries(
      labels.flatMap(({ field, value }) => (field === 'resource' ? [] : [[field, value]])),
    ),
    unit,
    values: values.map(({ timestamp, value }) => [
      (Date.parse(timestamp) - MORNING) / 1_000,
      value,
    ]),
  }));
}

function cpu(seconds: number, value: number, instance = 'i-1'): void {
  const at = MORNING + seconds * 1_000;
  metrics.recordGauge({ resource: 'srv-a', metric: 'cpu_usage', instance, at, value });
}

let end = 0;
function request(seconds: number, row: Partial<RequestRow> = {}): { end: number; row: RequestRow } {
  end += 1;
  const at = MORNING + seconds * 1_000;
  const base = { resource: 'srv-a', host: 'a.test', method: 'GET', path: '/', status: 200 };
  return { end, row: { ...base, at, ms: 10, bytes: 100, ...row } };
}

test('samples of 30 seconds become one value, by their mean, greatest or least', async () => {
  for (const [at, value] of [0, 10, 29].map((seconds) => [seconds, 1 + seconds])) {
    cpu(at ?? 0, value ?? 0);
  }
  cpu(30, 5);
  const values = async (cpuAggregation: MetricQuery['cpuAggregation']) =>
    (await read({ cpuAggregation }))[0]?.values;
  for (const isOnDisk of [false, true]) {
    if (isOnDisk) await reopen();
    expect(await values('AVG')).toEqual([
      [0, 14],
      [30, 5],
    ]);
    expect(await values('MAX')).toEqual([
      [0, 30],
      [30, 5],
    ]);
    expect(await values('MIN')).toEqual([
      [0, 1],
      [30, 5],
    ]);
  }
});

test('nothing counts that lies before the start or behind the end of a time', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => request(at * 3));
  metrics.countRequests('spool', rows);
  const count = async (start: number, stop: number, resolutionSec = 30) => {
    const window = { start: MORNING + start * 1_000, end: MORNING + stop * 1_000 };
    const [series] = await read({ type: 'http_request_count', resolutionSec, ...window });
    return series?.values ?? [];
  };
  // The first cell began before the start, the last one goes on behind the end.
  expect(await count(1, 119)).toEqual([
    [30, 10],
    [60, 10],
  ]);
  expect(await count(30, 90)).toEqual([
    [30, 10],
    [60, 10],
  ]);
  // A longer step that began before the start is dated at what is covered of it.
  expect(await count(31, 120, 300)).toEqual([[60, 20]]);
  expect(await count(31, 59)).toEqual([]);
});

test('the cell that is being filled counts where a time ends at the present', async () => {
  const seconds = HOUR_MS / 1_000 - 20;
  clock = new SimulatedClock(MORNING + HOUR_MS - 10_000);
  await reopen();
  cpu(seconds, 7);
  const until = (end: number) => read({ end: MORNING + end * 1_000 });
  expect((await until(seconds + 10))[0]?.values).toEqual([[seconds - 10, 7]]);
  expect(await until(seconds + 2)).toEqual([]);
});

test('a value of a longer step is the mean of its values, and a gap stays a gap', async () => {
  cpu(0, 1);
  cpu(30, 3);
  cpu(90, 8);
  cpu(600, 4);
  expect((await read({ resolutionSec: 60 }))[0]?.values).toEqual([
    [0, 2],
    [60, 8],
    [600, 4],
  ]);
  expect((await read({ resolutionSec: 300, cpuAggregation: 'MAX' }))[0]?.values).toEqual([
    [0, 8],
    [600, 4],
  ]);
});

test('the mean of equal values is that value, whatever their sum rounds to', async () => {
  for (const at of [0, 10, 20, 30, 60]) cpu(at, 0.1);
  for (const resolutionSec of [30, 90]) {
    for (const [, value] of (await read({ resolutionSec }))[0]?.values ?? [])
      expect(value).toBe(0.1);
  }
});

test('each instance has a series of its own; a resource without samples has none', async () => {
  cpu(0, 1, 'i-1');
  cpu(0, 2, 'i-2');
  expect(await read()).toEqual([
    { labels: { instance: 'i-1' }, unit: 'cpu', values: [[0, 1]] },
    { labels: { instance: 'i-2' }, unit: 'cpu', values: [[0, 2]] },
  ]);
  expect(await read({ resourceId: 'srv-b' })).toEqual([]);
  expect(await read({ type: 'memory_usage' })).toEqual([]);
});

test('requests are counted in all, by host and by status, for one host or one path', async () => {
  metrics.countRequests('spool', [
    request(0),
    request(1, { host: 'b.test', status: 404, path: '/users/1' }),
    request(2, { status: 500, path: '/users/2' }),
    request(65, { path: '/users/3?x=1' }),
  ]);
  const count = (query: Partial<MetricQuery>) =>
    read({ type: 'http_request_count', resolutionSec: 60, ...query });
  for (const isOnDisk of [false, true]) {
    if (isOnDisk) await reopen();
    expect(await count({})).toEqual([
      {
        labels: {},
        unit: 'count',
        values: [
          [0, 3],
          [60, 1],
        ],
      },
    ]);
    expect(await count({ requestCountBy: 'host' })).toEqual([
      {
        labels: { host: 'a.test' },
        unit: 'count',
        values: [
          [0, 2],
          [60, 1],
        ],
      },
      {
        labels: { host: 'b.test' },
        unit: 'count',
        values: [
          [0, 1],
          [60, 0],
        ],
      },
    ]);
    const codes = await count({ requestCountBy: 'statusCode' });
    expect(codes.map(({ labels }) => labels)).toEqual([
      { statusCode: '200' },
      { statusCode: '404' },
      { statusCode: '500' },
    ]);
    expect((await count({ host: 'A.test' }))[0]?.values).toEqual([
      [0, 2],
      [60, 1],
    ]);
    expect((await count({ path: '/users/99' }))[0]?.values).toEqual([
      [0, 2],
      [60, 1],
    ]);
    expect((await count({ path: '/nothing' }))[0]?.values).toEqual([
      [0, 0],
      [60, 0],
    ]);
    expect(await read({ type: 'bandwidth_usage', resolutionSec: 3_600 })).toEqual([
      { labels: {}, unit: 'bytes', values: [[0, 400]] },
    ]);
  }
});

test('a count is zero where requests were counted and none came, and nothing elsewhere', async () => {
  metrics.markObserved('srv-a', MORNING);
  metrics.markObserved('srv-a', MORNING + 120_000);
  const query = { type: 'http_request_count', resolutionSec: 60 } as const;
  expect(await read(query)).toEqual([
    {
      labels: {},
      unit: 'count',
      values: [
        [0, 0],
        [120, 0],
      ],
    },
  ]);
  expect(await read({ ...query, resourceId: 'red-b' })).toEqual([]);
  expect(await read({ ...query, requestCountBy: 'host' })).toEqual([]);
});

test('a quantile of the latency is that of all requests of its step', async () => {
  metrics.countRequests(
    'spool',
    Array.from({ length: 1_000 }, (_, n) => request(n / 10, { ms: n + 1, path: `/p/${n % 7}x` })),
  );
  const quantile = async (latencyQuantile: number, path?: string) => {
    const filter = path === undefined ? {} : { path };
    const query = { type: 'http_latency', resolutionSec: 3_600, latencyQuantile } as const;
    return (await read({ ...query, ...filter }))[0]?.values[0]?.[1] ?? 0;
  };
  for (const isOnDisk of [false, true]) {
    if (isOnDisk) await reopen();
    expect(await quantile(0)).toBe(1);
    expect(await quantile(1)).toBe(1_000);
    expect(Math.abs((await quantile(0.5)) - 500)).toBeLessThanOrEqual(5);
    expect(Math.abs((await quantile(0.99)) - 990)).toBeLessThanOrEqual(10);
    expect(await quantile(0, '/p/3x')).toBe(4);
  }
  expect(await read({ type: 'http_latency', path: '/nothing' })).toEqual([]);
});

test('steps of any length agree with what is added up by hand', async () => {
  const sample = fc.record({
    seconds: fc.integer({ min: 0, max: 3_599 }),
    value: fc.integer({ min: 0, max: 1_000 }),
  });
  const property = fc.asyncProperty(
    fc.array(sample, { maxLength: 60 }),
    fc.integer({ min: 30, max: 1_000 }),
    fc.tuple(fc.integer({ min: 0, max: 3_600 }), fc.integer({ min: 0, max: 3_600 })),
    fc.boolean(),
    async (samples, resolutionSec, [from, until], isOnDisk) => {
      end += 1;
      const resource = `srv-${end}`;
      for (const { seconds, value } of samples) {
        const at = MORNING + seconds * 1_000;
        metrics.recordGauge({ resource, metric: 'memory_usage', at, value });
        metrics.countRequests('spool', [request(seconds, { resource, bytes: value })]);
      }
      if (isOnDisk) await reopen();
      const times = { start: MORNING + from * 1_000, end: MORNING + until * 1_000 };
      const query = { resourceId: resource, resolutionSec, ...times };
      const [memory] = await read({ ...query, type: 'memory_usage' });
      const [bytes] = await read({ ...query, type: 'bandwidth_usage' });
      const steps = byStep(samples, resolutionSec, from, until);
      expect(bytes?.values ?? []).toEqual(steps.map(([at, buckets]) => [at, sum(buckets.flat())]));
      const means = steps.map(([at, buckets]) => [at, mean(buckets.map(mean))]);
      expect(memory?.values.length ?? 0).toBe(means.length);
      for (const [n, [at, value]] of means.entries()) {
        expect(memory?.values[n]?.[0]).toBe(at);
        expect(memory?.values[n]?.[1]).toBeCloseTo(value ?? 0, 6);
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
}, 120_000);

test('beyond 200 paths and 20 hosts of an hour the others are one, also after a restart', async () => {
  const rows = (from: number) =>
    Array.from({ length: 150 }, (_, n) =>
      request(0, { path: `/page-${'x'.repeat(from)}${n}n`, host: `h${from}${n % 15}.test` }),
    );
  metrics.countRequests('spool', rows(1));
  await reopen();
  metrics.countRequests('spool', rows(2));
  const hosts = await read({ type: 'http_request_count', requestCountBy: 'host' });
  expect(hosts).toHaveLength(21);
  expect(hosts.find(({ labels }) => labels['host'] === 'other')?.values).toEqual([[0, 100]]);
  const others = await read({ type: 'http_request_count', path: 'other' });
  expect(others[0]?.values).toEqual([[0, 100]]);
});

test('a row is counted once, however often it is handed over, and after a crash again', async () => {
  const rows = [request(0), request(1), request(2)];
  metrics.countRequests('spool', rows.slice(0, 2));
  metrics.countRequests('spool', rows);
  expect(metrics.countedUntil('spool')).toBe(0);
  await metrics.flush();
  expect(metrics.countedUntil('spool')).toBe(rows[2]?.end);
  await reopen();
  metrics.countRequests('spool', rows);
  const counted = await read({ type: 'http_request_count' });
  expect(counted[0]?.values).toEqual([[0, 3]]);
});

test('it is on disk half a minute later by itself', async () => {
  const row = request(0);
  metrics.countRequests('spool', [row]);
  await clock.advance(30_000);
  await expect.poll(() => metrics.countedUntil('spool')).toBe(row.end);
});

test('what is older than 30 days goes, and beyond the bytes what is oldest', async () => {
  for (let day = 0; day < 40; day += 1) {
    cpu(day * 86_400, day);
    await clock.set(MORNING + day * DAY_MS + HOUR_MS);
    await metrics.flush();
  }
  await metrics.trim();
  const all = { start: MORNING, end: MORNING + 60 * DAY_MS };
  const days = async () => ((await read(all))[0]?.values ?? []).map(([, value]) => value);
  expect(await days()).toEqual(Array.from({ length: 30 }, (_, n) => n + 10));
  await metrics.close();
  metrics = open({ retention: { daysMax: 30, bytesMax: 1 } });
  await metrics.trim();
  expect(await days()).toEqual([39]);
});

test('a bad query is refused, with what was received and what is allowed', async () => {
  const bad: readonly [Partial<MetricQuery>, string][] = [
    [{ resolutionSec: 29 }, 'resolution is 29; it must be at least 30 seconds'],
    [{ resolutionSec: Number.NaN }, 'resolution is NaN'],
    [{ latencyQuantile: 1.5 }, 'httpLatencyQuantile is 1.5; it must be from 0 to 1'],
    [{ start: Number.NaN }, 'startTime is NaN'],
  ];
  for (const [query, words] of bad) {
    await expect(metrics.series(asked(query))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(metrics.series(asked(query))).rejects.toThrow(words);
  }
});

/** Values by step, and within it by bucket; a bucket counts when it ends behind the start. */
function byStep(
  samples: readonly { readonly seconds: number; readonly value: number }[],
  resolutionSec: number,
  from: number,
  until: number,
): [number, number[][]][] {
  const buckets = new Map<number, number[]>();
  for (const { seconds, value } of samples) {
    const begin = seconds - (seconds % 30);
    // Of the last 5 seconds each is the present, so its cell is the one that is being filled.
    const isWhole = begin + 30 <= until || (until >= 3_595 && begin < until);
    if (begin < from || !isWhole) continue;
    buckets.set(begin, [...(buckets.get(begin) ?? []), value]);
  }
  const steps = new Map<number, number[][]>();
  for (const [begin, values] of [...buckets].sort(([one], [other]) => one - other)) {
    const absolute = MORNING / 1_000 + begin;
    const whole = absolute - (absolute % resolutionSec) - MORNING / 1_000;
    const step = Math.max(whole, Math.ceil(from / 30) * 30);
    steps.set(step, [...(steps.get(step) ?? []), values]);
  }
  return [...steps];
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
