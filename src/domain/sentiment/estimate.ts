import { sha256Hex } from '../common/hash.ts';

/** Minimum number of texts for a score, because a mean of fewer is meaningless. */
export const SCORED_TEXTS_MIN = 10;
/** Minimum number of channels for an overall score. */
export const SCORED_CHANNELS_MIN = 2;
/** Number of bootstrap draws. */
export const BOOTSTRAP_DRAWS = 1_000;
/** Score from which a text counts as positive; below its negative it counts as negative. */
export const LABEL_THRESHOLD = 0.05;

/** The sentiment label of a text. */
export type Label = 'positive' | 'neutral' | 'negative';

/** A mean with its 95 % interval. All values from -1 to 1. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the label of a score. */
export function toLabel(score: number): Label {
  if (score >= LABEL_THRESHOLD) return 'positive';
  return score <= -LABEL_THRESHOLD ? 'negative' : 'neutral';
}

/**
 * Returns the mean of groups of scores with equal weight per group, and its 95 % interval by
 * percentile bootstrap within each group. The draws are derived from the scores, so the same scores
 * give the same interval. Needs at least one group, and no empty ones.
 */
export function estimateMean(groups: readonly (readonly number[])[]): Estimate {
  const draw = createDraw(sha256Hex(JSON.stringify(groups)));
  const means = Array.from({ length: BOOTSTRAP_DRAWS }, () =>
    computeMean(
      groups.map((scores) => computeMean(scores.map(() => scores[draw(scores.length)] ?? 0))),
    ),
  ).sort((one, other) => one - other);
  const mean = computeMean(groups.map(computeMean));
  const low = means[Math.floor(BOOTSTRAP_DRAWS * 0.025)] ?? mean;
  const high = means[Math.ceil(BOOTSTRAP_DRAWS * 0.975) - 1] ?? mean;
  return { mean, low: Math.min(low, mean), high: Math.max(high, mean) };
}

/** Returns the mean of at least one value. */
export function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns a generator of whole numbers below a bound, using xorshift from a hexadecimal seed. */
function createDraw(seed: string): (below: number) => number {
  let state = Number.parseInt(seed.slice(0, 8), 16) || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
