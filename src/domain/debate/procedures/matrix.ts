import type { DebateBrief } from '../records.ts';

/** Scores of options by criteria. Rows and columns keep the order of the brief. */
export interface Matrix {
  readonly optionIds: readonly string[];
  readonly optionNames: readonly string[];
  readonly criterionNames: readonly string[];
  /** Raw scores, `raw[option][criterion]`. */
  readonly raw: readonly (readonly number[])[];
  /** Scores scaled to 0..1 per criterion, 1 is best; if all are equal, all are 1. */
  readonly scaled: readonly (readonly number[])[];
  /** Weights that sum to 1. */
  readonly weights: readonly number[];
  readonly higherIsBetter: readonly boolean[];
}

/** Result of one procedure: all options, best first, with a numeric reason. */
export interface Verdict {
  readonly ranking: readonly string[];
  /** Groups of tied options. */
  readonly equal: readonly (readonly string[])[];
  /** One line, at most 300 characters. */
  readonly reason: string;
  /** Lead of the first option over the second on the procedure's own scale, 0..1. */
  readonly lead: number;
}

/**
 * Returns whether a brief has at least one criterion and a finite score for every option on each.
 */
export function hasMatrix(brief: DebateBrief): boolean {
  return (
    brief.criteria.length > 0 &&
    brief.options.every((option) =>
      brief.criteria.every(({ criterionId }) => Number.isFinite(option.scores?.[criterionId])),
    )
  );
}

/** Builds the matrix of a brief that satisfies {@link hasMatrix}. */
export function buildMatrix(brief: DebateBrief): Matrix {
  const { criteria, options } = brief;
  const raw = options.map((option) =>
    criteria.map(({ criterionId }) => option.scores?.[criterionId] ?? Number.NaN),
  );
  const total = criteria.reduce((sum, criterion) => sum + criterion.weight, 0);
  const columns = criteria.map((criterion, c) =>
    scaleColumn(
      raw.map((row) => readAt(row, c)),
      criterion.higherIsBetter,
    ),
  );
  return {
    optionIds: options.map((option) => option.optionId),
    optionNames: options.map((option) => option.name),
    criterionNames: criteria.map((criterion) => criterion.name),
    raw,
    scaled: options.map((_, o) => columns.map((column) => readAt(column, o))),
    weights: criteria.map((criterion) => criterion.weight / total),
    higherIsBetter: criteria.map((criterion) => criterion.higherIsBetter),
  };
}

function scaleColumn(values: readonly number[], higherIsBetter: boolean): readonly number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (high === low) return values.map(() => 1);
  return values.map((value) =>
    higherIsBetter ? (value - low) / (high - low) : (high - value) / (high - low),
  );
}

/** Reads an element that must exist. */
export function readAt(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}

/** Returns the weighted sums of the scaled scores, one per option. */
export function computeWeightedSums(matrix: Matrix, weights: readonly number[]): readonly number[] {
  return matrix.scaled.map((row) =>
    row.reduce((sum, score, c) => sum + score * readAt(weights, c), 0),
  );
}

/** Differences below this count as equal, because of floating-point errors. */
const EPSILON = 1e-9;

/** Options in ranked order. Ties keep the order of the brief and are listed. */
export interface Ranking {
  /** Indexes of the options in the brief, best first. */
  readonly order: readonly number[];
  readonly ranking: readonly string[];
  /** Groups of options that nothing tells apart. */
  readonly equal: readonly (readonly string[])[];
}

/** Ranks options by keys in turn, highest first; remaining ties go by the weighted sum. */
export function rankBy(matrix: Matrix, keys: readonly (readonly number[])[]): Ranking {
  const sums = computeWeightedSums(matrix, matrix.weights);
  const compare = (left: number, right: number): number => {
    const others = [...(keys[right] ?? []), readAt(sums, right)];
    const gaps = [...(keys[left] ?? []), readAt(sums, left)].map(
      (key, k) => readAt(others, k) - key,
    );
    return gaps.find((gap) => Math.abs(gap) > EPSILON) ?? 0;
  };
  const places = matrix.optionIds.map((_, place) => place);
  places.sort((left, right) => compare(left, right) || left - right);
  const groups: number[][] = [];
  for (const place of places) {
    const last = groups.at(-1);
    if (last !== undefined && compare(last[0] ?? 0, place) === 0) last.push(place);
    else groups.push([place]);
  }
  const name = (place: number) => matrix.optionIds[place] ?? '';
  const equal = groups.filter((group) => group.length > 1).map((group) => group.map(name));
  return { order: places, ranking: places.map(name), equal };
}

/** Returns the name of the option at an index. */
export function optionName(matrix: Matrix, index: number | undefined): string {
  return matrix.optionNames[index ?? -1] ?? '';
}

/** Returns the name of the criterion at a column. */
export function criterionName(matrix: Matrix, column: number): string {
  return matrix.criterionNames[column] ?? '';
}

/** Formats a number for a reason, with at most three decimal places. */
export function formatNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/**
 * Creates a verdict from one score per option (higher is better); the reason states the two best.
 */
export function rankByScore(
  matrix: Matrix,
  scores: readonly number[],
  formatReason: (o: {
    first: string;
    firstScore: string;
    second: string;
    secondScore: string;
  }) => string,
): Verdict {
  const { order, ranking, equal } = rankBy(
    matrix,
    scores.map((score) => [score]),
  );
  const [first = 0, second = 0] = order;
  const [firstScore, secondScore] = [readAt(scores, first), readAt(scores, second)];
  return {
    ranking,
    equal,
    reason: formatReason({
      first: optionName(matrix, first),
      firstScore: formatNumber(firstScore),
      second: optionName(matrix, second),
      secondScore: formatNumber(secondScore),
    }),
    lead: clampToUnit(firstScore - secondScore),
  };
}

/** Limits a number to 0..1. */
export function clampToUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}
