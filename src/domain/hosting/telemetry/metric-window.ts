import { SECOND_MS } from '../../common/time.ts';

/** Width of the stored measurement buckets, in milliseconds. */
export const METRIC_BUCKET_MS = 30 * SECOND_MS;
/**
 * Tolerance within which an end time counts as now, in milliseconds. A query takes time to arrive.
 */
const NOW_TOLERANCE_MS = 5 * SECOND_MS;

/** A time range in milliseconds since 1970, from inclusive start to exclusive end. */
export interface MetricWindow {
  readonly start: number;
  readonly end: number;
}

/**
 * Aligns a time range to whole buckets, so that no value from outside the range counts. If the
 * range ends now, the incomplete bucket is included. A range without a whole bucket is empty: its
 * end equals its start.
 */
export function alignWindow({ start, end }: MetricWindow, now: number): MetricWindow {
  const first = Math.ceil(start / METRIC_BUCKET_MS) * METRIC_BUCKET_MS;
  const last =
    end >= now - NOW_TOLERANCE_MS ? end : Math.floor(end / METRIC_BUCKET_MS) * METRIC_BUCKET_MS;
  return { start: first, end: Math.max(first, last) };
}
