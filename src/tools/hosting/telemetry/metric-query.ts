import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import { parseInstantMs } from '../../../domain/hosting/instant.ts';
import type { KeyValue, Postgres, Service, TimeSeries } from '../../../domain/hosting/records.ts';
import type { MetricType } from '../../../domain/hosting/value-sets.ts';
import { parameterError } from '../parameter-error.ts';

/** Limits of a metric query. */
export const METRIC_BOUNDS = {
  windowMs: 30 * DAY_MS,
  defaultWindowMs: HOUR_MS,
  /** Tolerated clock skew of the caller. */
  skewMs: MINUTE_MS,
  resolutionSec: { least: 30, default: 60, most: 2_592_000 },
  /** Values of one answer over all types: enough for 30 days of one type in 1-minute steps. */
  values: 50_000,
} as const;

const SERVICE_METRICS: readonly MetricType[] = [
  'http_request_count',
  'http_latency',
  'bandwidth_usage',
];
const DATABASE_METRICS: readonly MetricType[] = ['active_connections'];
const REQUEST_METRICS: readonly MetricType[] = ['http_request_count', 'http_latency'];

interface MetricTimes {
  readonly startTime?: string | undefined;
  readonly endTime?: string | undefined;
  readonly resolution: number;
}

/**
 * Returns the time range of a query in milliseconds since 1970; the end is exclusive.
 *
 * @param types - Number of requested metric types.
 * @throws {AppError} `INPUT_INVALID` for a time outside the last 30 days, a start after the end, or
 * a range with more values than one answer holds.
 */
export function resolveTimeRange(input: MetricTimes, types: number, now: number) {
  const end = Math.min(parseWithinRange('endTime', input.endTime, now, now), now);
  const start = parseWithinRange(
    'startTime',
    input.startTime,
    end - METRIC_BOUNDS.defaultWindowMs,
    now,
  );
  if (start >= end) {
    const allowed = `a time before endTime (${new Date(end).toISOString()})`;
    throw parameterError({ path: 'startTime', received: input.startTime, allowed });
  }
  const seconds = (end - start) / SECOND_MS;
  const values = Math.ceil(seconds / input.resolution) * types;
  if (values > METRIC_BOUNDS.values) {
    const least = Math.ceil((seconds * types) / METRIC_BOUNDS.values);
    const allowed = `at least ${least} for this range and ${types} metric types`;
    const why = `The range has ${values} values; one answer holds ${METRIC_BOUNDS.values}.`;
    throw parameterError({ path: 'resolution', received: input.resolution, allowed, why });
  }
  return { start, end };
}

function parseWithinRange(
  path: string,
  text: string | undefined,
  otherwise: number,
  now: number,
): number {
  const at = text === undefined ? otherwise : (parseInstantMs(text) ?? otherwise);
  const earliest = now - METRIC_BOUNDS.windowMs;
  // A default is never too early: it derives from the end, which was already checked.
  if (text === undefined) return Math.max(at, earliest);
  if (at >= earliest - METRIC_BOUNDS.skewMs && at <= now + METRIC_BOUNDS.skewMs) {
    return Math.max(at, earliest);
  }
  const from = new Date(earliest).toISOString();
  const allowed = `within the last 30 days: ${from} to ${new Date(now).toISOString()}`;
  throw parameterError({ path, received: text, allowed });
}

/** Returns true if a metric applies to a resource. Other metrics have no series; no error. */
export function appliesTo(type: MetricType, resource: Service | Postgres | KeyValue): boolean {
  const isService = 'slug' in resource;
  return !(isService ? DATABASE_METRICS : SERVICE_METRICS).includes(type);
}

/** Returns a note for each parameter that no requested metric type uses. */
export function unusedParameters(
  input: {
    readonly aggregateHttpRequestCountsBy?: string | undefined;
    readonly httpHost?: string | undefined;
    readonly httpPath?: string | undefined;
  },
  types: readonly MetricType[],
): readonly string[] {
  const { aggregateHttpRequestCountsBy: by, httpHost, httpPath } = input;
  const isOfRequests = types.some((type) => REQUEST_METRICS.includes(type));
  const unused = [
    ...(by !== undefined && !types.includes('http_request_count')
      ? ['aggregateHttpRequestCountsBy']
      : []),
    ...(httpHost !== undefined && !isOfRequests ? ['httpHost'] : []),
    ...(httpPath !== undefined && !isOfRequests ? ['httpPath'] : []),
  ];
  return unused.map((name) => `${name} was not used: no requested metric type takes it.`);
}

/** Formats one line per series: the last, lowest and highest value. */
export function formatSeries(metric: {
  readonly type: MetricType;
  readonly data: readonly TimeSeries[];
}): readonly string[] {
  const { type, data } = metric;
  if (data.length === 0) return [`- ${type}: no values`];
  return data.map(({ labels, values, unit }) => {
    const named = labels.map(({ field, value }) => `${field}=${value}`).join(' ');
    const numbers = values.map(({ value }) => value);
    const last = numbers.at(-1);
    const span =
      last === undefined
        ? 'no values'
        : `last ${last}, lowest ${lowest(numbers)}, highest ${highest(numbers)} ${unit}`;
    return `- ${type}${named === '' ? '' : ` ${named}`}: ${span} (${numbers.length} values)`;
  });
}

function lowest(numbers: readonly number[]): number {
  return numbers.reduce((found, one) => Math.min(found, one), Number.POSITIVE_INFINITY);
}

function highest(numbers: readonly number[]): number {
  return numbers.reduce((found, one) => Math.max(found, one), Number.NEGATIVE_INFINITY);
}
