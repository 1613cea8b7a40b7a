import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { MetricQuery } from '../../domain/hosting/hosting.ts';
import type { TimeSeries } from '../../domain/hosting/records.ts';
import { LatencySketch } from '../../domain/hosting/telemetry/latency-sketch.ts';
import { alignWindow } from '../../domain/hosting/telemetry/metric-window.ts';
import { normalizePath } from '../../domain/hosting/telemetry/request-path.ts';
import { type CpuAggregation, METRIC_UNITS } from '../../domain/hosting/value-sets.ts';
import { type Aggregate, BLOCK_BUCKETS, type Block, BUCKET_MS } from './hosting-metric-blocks.ts';
import { blockKind, type Metric, type MetricTable } from './hosting-metric-table.ts';

/** Minimum step of a series, in seconds. */
export const RESOLUTION_MIN_SEC = BUCKET_MS / SECOND_MS;
/** Blocks read before yielding to the event loop. */
const YIELD_BLOCKS = 32;

/**
 * Reads the series of a query from the cells that its time range covers. A 30 s bucket belongs to
 * the step in which it starts. Steps are aligned to 1970 and dated at their start, or at the start
 * of the range. Steps without measurements have no value; counts are 0 if requests were observed
 * and none came.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export async function readSeries(
  table: MetricTable,
  requested: MetricQuery,
  now: number,
): Promise<readonly TimeSeries[]> {
  assertValidQuery(requested);
  const query = { ...requested, ...alignWindow(requested, now) };
  switch (blockKind(query.type)) {
    case 'sketch':
      return latencySeries(table, query);
    case 'counter':
      return countSeries(table, query);
    case 'gauge':
      return gaugeSeries(table, query);
  }
}

/** A bucket of a series within the time range of a query. */
interface FoundBucket<Value> {
  readonly labels: string;
  readonly step: number;
  readonly value: Value;
}

async function gaugeSeries(table: MetricTable, query: MetricQuery): Promise<readonly TimeSeries[]> {
  const series = new Map<string, Steps<Aggregate>>();
  const aggregation = query.type === 'cpu_usage' ? query.cpuAggregation : 'AVG';
  for await (const { labels, step, value } of scanBuckets(table, query, query.type, gaugeBuckets)) {
    const mean = computeMean(value);
    const { greatest, least } = value;
    updateStep(series, labels, step, (known) =>
      known === undefined
        ? { sum: mean, count: 1, greatest, least }
        : {
            sum: known.sum + mean,
            count: known.count + 1,
            greatest: Math.max(known.greatest, greatest),
            least: Math.min(known.least, least),
          },
    );
  }
  return sortSeries(series).map(([instance, steps]) =>
    timeSeries(query, instance === '' ? {} : { instance }, steps, (one) =>
      aggregate(one, aggregation),
    ),
  );
}

async function countSeries(table: MetricTable, query: MetricQuery): Promise<readonly TimeSeries[]> {
  const series = new Map<string, Steps<number>>();
  const observed = new Set<number>();
  const { type, requestCountBy } = query;
  const isRequests = type === 'http_request_count';
  const isGrouped = isRequests && requestCountBy !== undefined;
  for await (const { step } of scanBuckets(table, query, 'observed', counterBuckets))
    observed.add(step);
  for await (const { labels, step, value } of scanBuckets(table, query, type, counterBuckets)) {
    observed.add(step);
    const [host = '', statusCode = '', path = ''] = labels.split('\n');
    if (isRequests && !matchesQuery(query, host, path)) continue;
    const group = isGrouped ? { host, statusCode }[requestCountBy] : '';
    updateStep(series, group, step, (known = 0) => known + value);
  }
  // If there were no requests at all, their total is known to be 0.
  if (!isGrouped && series.size === 0 && observed.size > 0) series.set('', new Map());
  return sortSeries(series).map(([group, steps]) => {
    for (const step of observed) if (!steps.has(step)) steps.set(step, 0);
    return timeSeries(query, isGrouped ? { [requestCountBy]: group } : {}, steps, (one) => one);
  });
}

async function latencySeries(
  table: MetricTable,
  query: MetricQuery,
): Promise<readonly TimeSeries[]> {
  const steps: Steps<LatencySketch> = new Map();
  for await (const { labels, step, value } of scanBuckets(
    table,
    query,
    'http_latency',
    sketchBuckets,
  )) {
    const [host = '', path = ''] = labels.split('\n');
    if (!matchesQuery(query, host, path)) continue;
    const known = steps.get(step) ?? new LatencySketch();
    known.merge(value);
    steps.set(step, known);
  }
  if (steps.size === 0) return [];
  return [timeSeries(query, {}, steps, (one) => one.quantile(query.latencyQuantile))];
}

/** Yields the buckets of a metric, block by block. */
async function* scanBuckets<Value>(
  table: MetricTable,
  { resourceId, start, end, resolutionSec }: MetricQuery,
  metric: Metric,
  valuesOf: (block: Block) => ReadonlyMap<number, Value> | undefined,
): AsyncGenerator<FoundBucket<Value>> {
  const first = Math.ceil(start / BUCKET_MS);
  const last = Math.ceil(end / BUCKET_MS) - 1;
  const length = BLOCK_BUCKETS[blockKind(metric)];
  const stepMs = resolutionSec * SECOND_MS;
  for (let number = Math.floor(first / length); number * length <= last; number += 1) {
    if (number % YIELD_BLOCKS === 0) await turn();
    for (const { labels, block } of table.listBlocks(resourceId, metric, number)) {
      for (const [bucket, value] of valuesOf(block) ?? []) {
        if (bucket < first || bucket > last) continue;
        yield { labels, step: Math.floor((bucket * BUCKET_MS) / stepMs) * stepMs, value };
      }
    }
  }
}

type Steps<Value> = Map<number, Value>;

const gaugeBuckets = (block: Block) => (block.kind === 'gauge' ? block.buckets : undefined);
const counterBuckets = (block: Block) => (block.kind === 'counter' ? block.buckets : undefined);
const sketchBuckets = (block: Block) => (block.kind === 'sketch' ? block.buckets : undefined);

/** Sorts series by the values of their labels. */
function sortSeries<Value>(series: ReadonlyMap<string, Value>): readonly [string, Value][] {
  return [...series].sort(([one], [other]) => (one < other ? -1 : 1));
}

function updateStep<Value>(
  series: Map<string, Steps<Value>>,
  labels: string,
  step: number,
  change: (known: Value | undefined) => Value,
): void {
  const steps = series.get(labels) ?? new Map<number, Value>();
  steps.set(step, change(steps.get(step)));
  series.set(labels, steps);
}

function timeSeries<Value>(
  query: MetricQuery,
  labels: Readonly<Record<string, string>>,
  steps: Steps<Value>,
  valueIn: (step: Value) => number | undefined,
): TimeSeries {
  const all = { resource: query.resourceId, ...labels };
  const dated = (step: number): string => new Date(Math.max(step, query.start)).toISOString();
  const inOrder = [...steps].sort(([one], [other]) => one - other);
  return {
    labels: Object.entries(all).map(([field, value]) => ({ field, value })),
    values: inOrder.flatMap(([step, gathered]) => {
      const value = valueIn(gathered);
      return value === undefined ? [] : [{ timestamp: dated(step), value }];
    }),
    unit: METRIC_UNITS[query.type],
  };
}

function aggregate(gathered: Aggregate, how: CpuAggregation): number {
  switch (how) {
    case 'AVG':
      return computeMean(gathered);
    case 'MAX':
      return gathered.greatest;
    case 'MIN':
      return gathered.least;
  }
}

/** Clamps the mean to the observed range, because a rounded sum of equal values could leave it. */
function computeMean({ sum, count, greatest, least }: Aggregate): number {
  return Math.min(greatest, Math.max(least, sum / count));
}

function matchesQuery(query: MetricQuery, host: string, path: string): boolean {
  if (query.host !== undefined && query.host.toLowerCase() !== host) return false;
  return query.path === undefined || normalizePath(query.path) === path;
}

function assertValidQuery({ resolutionSec, latencyQuantile, start, end }: MetricQuery): void {
  if (!(resolutionSec >= RESOLUTION_MIN_SEC && Number.isFinite(resolutionSec))) {
    throw invalidParameter('resolution', resolutionSec, `at least ${RESOLUTION_MIN_SEC} seconds`);
  }
  if (!(latencyQuantile >= 0 && latencyQuantile <= 1)) {
    throw invalidParameter('httpLatencyQuantile', latencyQuantile, 'from 0 to 1');
  }
  if (!(Number.isFinite(start) && Number.isFinite(end))) {
    throw invalidParameter('startTime', start, 'a time, and so must endTime');
  }
}

function invalidParameter(parameter: string, received: number, allowed: string): AppError {
  const message = `${parameter} is ${received}; it must be ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { parameter, received } });
}
