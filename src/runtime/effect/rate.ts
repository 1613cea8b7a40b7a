import type { Rate } from '../queue/queue-types.ts';

/** Sums of fractions end a hair too late, in milliseconds. */
const SLACK_MS = 0.01;

/**
 * When a rate allows the next start, in milliseconds; in the past when it does now.
 *
 * @param freshAt - As the last start left it; `undefined` when there was none.
 */
export function rateReadyAt(rate: Rate, freshAt: number | undefined): number {
  if (freshAt === undefined) return Number.NEGATIVE_INFINITY;
  const { intervalMs, burst } = shapeOf(rate);
  return freshAt - (burst - 1) * intervalMs - SLACK_MS;
}

/** What a start leaves behind: when the rate will be as if it had never been used. */
export function rateAfterStart(rate: Rate, freshAt: number | undefined, now: number): number {
  return Math.max(freshAt ?? now, now) + shapeOf(rate).intervalMs;
}

/**
 * What can be true of a rate now: after a clock was set back, or a rate was raised, no queue stands
 * still for longer than if it had just used its burst.
 */
export function believableFreshAt(rate: Rate, freshAt: number, now: number): number {
  const { intervalMs, burst } = shapeOf(rate);
  return Math.min(freshAt, now + burst * intervalMs);
}

function shapeOf({ max, perMs, burst = max }: Rate) {
  return { intervalMs: perMs / max, burst };
}
