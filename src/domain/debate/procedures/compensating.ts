import {
  at,
  type Matrix,
  nameOf,
  rankBy,
  type Verdict,
  verdictByScore,
  weightedSums,
} from './matrix.ts';

/** Chooses by the sum of weighted scaled scores; strengths compensate for weaknesses. */
export function weightedSum(matrix: Matrix): Verdict {
  return verdictByScore(
    matrix,
    weightedSums(matrix, matrix.weights),
    (o) => `Weighted sum: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
}

/** Chooses by the mean of scaled scores, with equal weights. */
export function equalWeights(matrix: Matrix): Verdict {
  const share = 1 / matrix.weights.length;
  return verdictByScore(
    matrix,
    weightedSums(
      matrix,
      matrix.weights.map(() => share),
    ),
    (o) => `Mean of scaled scores: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
}

/** Chooses by closeness to the ideal point (TOPSIS, vector normalisation). */
export function topsis(matrix: Matrix): Verdict {
  const columns = matrix.weights.map((weight, c) => {
    const values = matrix.raw.map((row) => at(row, c));
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
    const row = columns.map((column) => at(column, o));
    const toBest = distance(
      row,
      ends.map((end) => end.best),
    );
    const toWorst = distance(
      row,
      ends.map((end) => end.worst),
    );
    return toBest + toWorst === 0 ? 1 : toWorst / (toBest + toWorst);
  });
  return verdictByScore(
    matrix,
    closeness,
    (o) => `Closeness to the ideal: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore}.`,
  );
}

function distance(from: readonly number[], to: readonly number[]): number {
  return Math.sqrt(from.reduce((sum, value, c) => sum + (value - at(to, c)) ** 2, 0));
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
  const placings = trials.map((weights) => placeOptions(matrix, weightedSums(matrix, weights)));
  const options = matrix.optionIds.map((_, place) => place);
  const wins = options.map((option) => placings.filter((one) => at(one, option) === 0).length);
  const meanPlace = options.map(
    (option) => placings.reduce((sum, one) => sum + at(one, option), 0) / placings.length,
  );
  const { places, ranking, equal } = rankBy(
    matrix,
    options.map((place) => [at(wins, place), -at(meanPlace, place)]),
  );
  const [first = 0, second = 0] = places;
  const won = `${at(wins, first)} of ${trials.length}`;
  return {
    ranking,
    equal,
    reason: `${nameOf(matrix, first)} wins ${won} variations of the weights (x0.5 to x2).`,
    lead: (at(wins, first) - at(wins, second)) / trials.length,
  };
}

/** Returns the rank of each option by its sum, from 0; tied options share the best rank. */
function placeOptions(matrix: Matrix, sums: readonly number[]): readonly number[] {
  const { ranking, equal } = rankBy(
    matrix,
    sums.map((sum) => [sum]),
  );
  return matrix.optionIds.map((optionId) => {
    const group = equal.find((one) => one.includes(optionId)) ?? [optionId];
    return ranking.indexOf(group[0] ?? optionId);
  });
}
