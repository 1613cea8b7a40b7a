import type { Rate } from '../queue/queue-types.ts';

/** Tolerance for rounding errors of summed fractions, in milliseconds. */
const ROUNDING_TOLERANCE_MS = 0.01;

/**
 * Returns when a rate allows the next start, in milliseconds; a time in the past means now.
 *
 * @param freshAt - Value after the last start; `undefined` if there was none.
 */
export function rateReadyAt(rate: Rate, freshAt: number | undefined): number {
  if (freshAt === undefined) return Number.NEGATIVE_INFINITY;
  const { intervalMs, burst } = rateShape(rate);
  return freshAt - (burst - 1) * intervalMs - ROUNDING_TOLERANCE_MS;
}

/** Returns the `freshAt` after a start: when the rate will be unused again. */
export function rateAfterStart(rate: Rate, freshAt: number | undefined, now: number): number {
  return Math.max(freshAt ?? now, now) + rateShape(rate).intervalMs;
}

/**
 * Clamps `freshAt` to a plausible value. After a clock was set back or a rate was raised, no queue
 * waits longer than if it had just used its burst.
 */
export function clampFreshAt(rate: Rate, freshAt: number, now: number): number {
  const { intervalMs, burst } = rateShape(rate);
  return Math.min(freshAt, now + burst * intervalMs);
}

function rateShape({ max, perMs, burst = max }: Rate) {
  return { intervalMs: perMs / max, burst };
}
