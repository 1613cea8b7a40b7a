import {
  computeWeightedSums,
  type Matrix,
  optionName,
  rankBy,
  rankByScore,
  readAt,
  type Verdict,
} from './matrix.ts';

/** Chooses by the sum of weighted scaled scores; strengths compensate for weaknesses. */
export function weightedSum(matrix: Matrix): Verdict {
  return rankByScore(
    matrix,
    computeWeightedSums(matrix, matrix.weights),
    (o) => `Weighted sum: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
}

/** Chooses by the mean of scaled scores, with equal weights. */
export function equalWeights(matrix: Matrix): Verdict {
  const share = 1 / matrix.weights.length;
  return rankByScore(
    matrix,
    computeWeightedSums(
      matrix,
      matrix.weights.map(() => share),
    ),
    (o) => `Mean of scaled scores: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
}

/** Chooses by closeness to the ideal point (TOPSIS, vector normalisation). */
export function topsis(matrix: Matrix): Verdict {
  const columns = matrix.weights.map((weight, c) => {
    const values = matrix.raw.map((row) => readAt(row, c));
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    return values.map((value) => (length === 0 ? 0 : (weight * value) / length));
  });
  const ends = columns.map((column, c) => {
    const [low, high] = [Math.min(...column), Math.max(...column)];
    return matrix.higherIsBetter[c] === true
      ? { best: high, worst: low }
      : { best: low, worst: high };
  });
  const closeness = matrix.optionIds.map((_, o) => {
    const row = columns.map((column) => readAt(column, o));
    const toBest = euclideanDistance(
      row,
      ends.map((end) => end.best),
    );
    const toWorst = euclideanDistance(
      row,
      ends.map((end) => end.worst),
    );
    return toBest + toWorst === 0 ? 1 : toWorst / (toBest + toWorst);
  });
  return rankByScore(
    matrix,
    closeness,
    (o) => `Closeness to the ideal: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
}

function euclideanDistance(from: readonly number[], to: readonly number[]): number {
  return Math.sqrt(from.reduce((sum, value, c) => sum + (value - readAt(to, c)) ** 2, 0));
}

/** Factors by which each weight is varied, one weight at a time. */
const PERTURBATIONS = [0.5, 0.75, 1.25, 1.5, 2] as const;

/** Counts wins of the weighted sum while each weight in turn is varied from half to double. */
export function weightPerturbation(matrix: Matrix): Verdict {
  const trials = [
    matrix.weights,
    ...matrix.weights.flatMap((_, moved) =>
      PERTURBATIONS.map((factor) =>
        matrix.weights.map((weight, c) => (c === moved ? weight * factor : weight)),
      ),
    ),
  ];
  const rankings = trials.map((weights) =>
    rankPositions(matrix, computeWeightedSums(matrix, weights)),
  );
  const options = matrix.optionIds.map((_, place) => place);
  const wins = options.map((option) => rankings.filter((one) => readAt(one, option) === 0).length);
  const meanRank = options.map(
    (option) => rankings.reduce((sum, one) => sum + readAt(one, option), 0) / rankings.length,
  );
  const { order, ranking, equal } = rankBy(
    matrix,
    options.map((place) => [readAt(wins, place), -readAt(meanRank, place)]),
  );
  const [first = 0, second = 0] = order;
  const won = `${readAt(wins, first)} of ${trials.length}`;
  return {
    ranking,
    equal,
    reason: `${optionName(matrix, first)} wins ${won} variations of the weights (x0.5 to x2).`,
    lead: (readAt(wins, first) - readAt(wins, second)) / trials.length,
  };
}

/** Returns the rank of each option by its sum, from 0; tied options share the best rank. */
function rankPositions(matrix: Matrix, sums: readonly number[]): readonly number[] {
  const { ranking, equal } = rankBy(
    matrix,
    sums.map((sum) => [sum]),
  );
  return matrix.optionIds.map((optionId) => {
    const group = equal.find((one) => one.includes(optionId)) ?? [optionId];
    return ranking.indexOf(group[0] ?? optionId);
  });
}
