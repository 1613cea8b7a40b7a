import { type Matrix, rankByScore, readAt, type Verdict } from './matrix.ts';

/**
 * Chooses by pairwise duels (Copeland): an option wins if the criteria on which it is better have
 * more weight.
 */
export function copeland(matrix: Matrix): Verdict {
  const duels = matrix.scaled.map((mine) =>
    matrix.scaled.reduce(
      (score, other) => score + Math.sign(compareByWeight(matrix, mine, other)),
      0,
    ),
  );
  const rivals = Math.max(1, matrix.optionIds.length - 1);
  const verdict = rankByScore(
    matrix,
    duels,
    (o) => `Duels won minus lost: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
  const [first = 0, second = 0] = [...duels].sort((left, right) => right - left);
  return { ...verdict, lead: (first - second) / (2 * rivals) };
}

/** Sums of weights that differ by less count as equal. */
const EPSILON = 1e-9;

function compareByWeight(
  matrix: Matrix,
  mine: readonly number[],
  other: readonly number[],
): number {
  const weight = mine.reduce(
    (sum, score, c) => sum + Math.sign(score - readAt(other, c)) * readAt(matrix.weights, c),
    0,
  );
  return Math.abs(weight) < EPSILON ? 0 : weight;
}

/**
 * Chooses by the number of dominated options minus the number of dominating ones. Dominating means
 * better on some criterion and worse on none.
 */
export function dominance(matrix: Matrix): Verdict {
  const net = matrix.scaled.map((mine) =>
    matrix.scaled.reduce(
      (sum, other) => sum + Number(isDominating(mine, other)) - Number(isDominating(other, mine)),
      0,
    ),
  );
  const rivals = Math.max(1, matrix.optionIds.length - 1);
  const verdict = rankByScore(
    matrix,
    net,
    (o) =>
      `Dominates minus dominated: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}; ` +
      'ties go by the weighted sum.',
  );
  const [first = 0, second = 0] = [...net].sort((left, right) => right - left);
  return { ...verdict, lead: (first - second) / (2 * rivals) };
}

function isDominating(mine: readonly number[], other: readonly number[]): boolean {
  return (
    mine.every((score, c) => score >= readAt(other, c)) &&
    mine.some((score, c) => score > readAt(other, c))
  );
}
