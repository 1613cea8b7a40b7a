import {
  clampToUnit,
  criterionName,
  formatNumber,
  type Matrix,
  optionName,
  rankBy,
  rankByScore,
  readAt,
  type Verdict,
} from './matrix.ts';

/** Minimum scaled score for a criterion to count as met. */
const ASPIRATION_LEVEL = 0.5;

/** Chooses by the heaviest criterion; lighter ones only break ties. */
export function lexicographic(matrix: Matrix): Verdict {
  const order = sortByWeight(matrix);
  const keys = matrix.scaled.map((row) => order.map((c) => readAt(row, c)));
  const { order: places, ranking, equal } = rankBy(matrix, keys);
  const [first = 0, second = 0] = places;
  const [mine, other] = [keys[first] ?? [], keys[second] ?? []];
  const decisive = order.findIndex((_, k) => readAt(mine, k) !== readAt(other, k));
  const by = decisive < 0 ? 'all criteria level' : criterionName(matrix, order[decisive] ?? 0);
  return {
    ranking,
    equal,
    reason:
      `By importance: ${optionName(matrix, first)} before ` +
      `${optionName(matrix, second)} on ${by}.`,
    lead: decisive < 0 ? 0 : clampToUnit(readAt(mine, decisive) - readAt(other, decisive)),
  };
}

/**
 * Eliminates options below 0.5 of the range, criterion by criterion in order of weight, unless none
 * would remain. Options rank by the number of rounds they survive.
 */
export function eliminationByAspects(matrix: Matrix): Verdict {
  const options = matrix.optionIds.map((_, place) => place);
  const survivedRounds = options.map(() => 0);
  let remaining = options;
  const steps: string[] = [];
  for (const c of sortByWeight(matrix)) {
    const passing = remaining.filter(
      (place) => readAt(matrix.scaled[place] ?? [], c) >= ASPIRATION_LEVEL,
    );
    if (passing.length === 0 || passing.length === remaining.length) continue;
    steps.push(`${criterionName(matrix, c)} eliminates ${remaining.length - passing.length}`);
    remaining = passing;
    for (const place of remaining) survivedRounds[place] = readAt(survivedRounds, place) + 1;
  }
  const {
    order: places,
    ranking,
    equal,
  } = rankBy(
    matrix,
    survivedRounds.map((rounds) => [rounds]),
  );
  const [first = 0, second = 0] = places;
  const summary = steps.length === 0 ? 'no criterion eliminates an option' : steps.join(', ');
  const lead = readAt(survivedRounds, first) - readAt(survivedRounds, second);
  return {
    ranking,
    equal,
    reason: `${optionName(matrix, first)} remains: ${summary}.`.slice(0, 300),
    lead: steps.length === 0 ? 0 : lead / steps.length,
  };
}

/** Chooses by the total weight of the criteria that an option meets (0.5 of the range or more). */
export function satisficing(matrix: Matrix): Verdict {
  const met = matrix.scaled.map((row) =>
    row.reduce(
      (sum, score, c) => sum + (score >= ASPIRATION_LEVEL ? readAt(matrix.weights, c) : 0),
      0,
    ),
  );
  return rankByScore(
    matrix,
    met,
    (o) =>
      `Good enough by weight: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore} ` +
      `(level ${formatNumber(ASPIRATION_LEVEL)}).`,
  );
}

function sortByWeight(matrix: Matrix): readonly number[] {
  return matrix.weights
    .map((_, c) => c)
    .sort(
      (left, right) => readAt(matrix.weights, right) - readAt(matrix.weights, left) || left - right,
    );
}
