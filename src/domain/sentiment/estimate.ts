import { sha256Hex } from '../common/hash.ts';

/** Texts of which a score is made at the least: below, a mean says nothing. */
export const SCORED_TEXTS_MIN = 10;
/** Channels of which an overall score is made at the least. */
export const SCORED_CHANNELS_MIN = 2;
/** Draws of the bootstrap. */
export const BOOTSTRAP_DRAWS = 1_000;
/** From here on a text counts as positive, and below its negative as negative. */
export const LABEL_FROM = 0.05;

/** How a text sounds. */
export type Label = 'positive' | 'neutral' | 'negative';

/** A mean with the interval that 95 % of the draws fall into. All from -1 to 1. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The label of a score. */
export function labelOf(score: number): Label {
  if (score >= LABEL_FROM) return 'positive';
  return score <= -LABEL_FROM ? 'negative' : 'neutral';
}

/**
 * The mean of groups of scores, each group with equal weight, and its 95 % interval by percentile
 * bootstrap inside of each group. Draws follow from the scores, so the same scores give the same
 * interval. There is at least one group, and none is empty.
 */
export function estimateOf(groups: readonly (readonly number[])[]): Estimate {
  const draw = drawsFrom(sha256Hex(JSON.stringify(groups)));
  const means = Array.from({ length: BOOTSTRAP_DRAWS }, () =>
    meanOf(groups.map((scores) => meanOf(scores.map(() => scores[draw(scores.length)] ?? 0)))),
  ).sort((one, other) => one - other);
  const mean = meanOf(groups.map(meanOf));
  const low = means[Math.floor(BOOTSTRAP_DRAWS * 0.025)] ?? mean;
  const high = means[Math.ceil(BOOTSTRAP_DRAWS * 0.975) - 1] ?? mean;
  return { mean, low: Math.min(low, mean), high: Math.max(high, mean) };
}

/** The mean; there is at least one. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whole numbers below a bound, drawn by xorshift from a seed of hex digits. */
function drawsFrom(seed: string): (below: number) => number {
  let state = Number.parseInt(seed.slice(0, 8), 16) || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
