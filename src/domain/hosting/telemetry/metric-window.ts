import { SECOND_MS } from '../../common/time.ts';

/** Length of the cells that measurements are kept in, in milliseconds. */
export const METRIC_CELL_MS = 30 * SECOND_MS;
/** An end so long ago is still the present, in milliseconds: a question takes time to arrive. */
const PRESENT_MS = 5 * SECOND_MS;

/** A time in milliseconds since 1970, from inclusive to exclusive. */
export interface MetricWindow {
  readonly start: number;
  readonly end: number;
}

/**
 * What a question about a time is answered from: the whole cells in it, and the one that is being
 * filled where the time ends at the present. So nothing counts that was measured before the start
 * or behind the end. A time without a whole cell is empty: its end is its start.
 */
export function coverWindow({ start, end }: MetricWindow, now: number): MetricWindow {
  const first = Math.ceil(start / METRIC_CELL_MS) * METRIC_CELL_MS;
  const last = end >= now - PRESENT_MS ? end : Math.floor(end / METRIC_CELL_MS) * METRIC_CELL_MS;
  return { start: first, end: Math.max(first, last) };
}
