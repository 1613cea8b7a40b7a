// What is known beforehand: Condorcet's jury formula, and intervals of shares that were counted.

/** For intervals of 95 %, and for a check that a right bench fails once in a thousand. */
const Z = { interval: 1.96, check: 3.29 };

/**
 * Probability that a majority of an odd number of seats is right, each wrong with probability
 * `error` on its own; with probability `shared` all of them judge by one and the same draw.
 */
export function juryAccuracy(seats, error, shared = 0) {
  let majority = 0;
  for (let right = (seats + 1) / 2; right <= seats; right += 1) {
    majority += choose(seats, right) * (1 - error) ** right * error ** (seats - right);
  }
  return shared * (1 - error) + (1 - shared) * majority;
}

/**
 * Probability that one seat which votes wrongly on purpose changes a majority of two options: it
 * would have been right, and the others are split in halves. No rule that counts votes alike has less.
 */
export function pivotalShare(seats, error) {
  const half = (seats - 1) / 2;
  return (1 - error) * choose(seats - 1, half) * (1 - error) ** half * error ** half;
}

/** Share of `count` among `of`, with Wilson's interval of 95 %. */
export function shareOf(count, of) {
  return { count, of, share: count / of, ...wilson(count, of, Z.interval) };
}

/** Whether a counted share agrees with what is known: it lies within the interval of 99.9 %. */
export function agrees({ count, of }, known) {
  const { least, most } = wilson(count, of, Z.check);
  return known >= least && known <= most;
}

/** A mean of differences between pairs, with its interval of 95 %. */
export function meanDifference(differences) {
  const of = differences.length;
  const mean = differences.reduce((sum, one) => sum + one, 0) / of;
  const square = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, of - 1);
  const half = Z.interval * Math.sqrt(square / of);
  return { mean, least: mean - half, most: mean + half };
}

function wilson(count, of, z) {
  const share = count / of;
  const wide = 1 + z ** 2 / of;
  const middle = (share + z ** 2 / (2 * of)) / wide;
  const half = (z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))) / wide;
  return { least: Math.max(0, middle - half), most: Math.min(1, middle + half) };
}

function choose(of, count) {
  let ways = 1;
  for (let at = 1; at <= count; at += 1) ways = (ways * (of - count + at)) / at;
  return ways;
}
