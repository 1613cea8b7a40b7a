import {
  at,
  clamp,
  criterionOf,
  figure,
  type Matrix,
  nameOf,
  rankBy,
  type Verdict,
  verdictByScore,
} from './matrix.ts';

/** Minimum scaled score for a criterion to count as met. */
const ASPIRATION = 0.5;

/** Chooses by the heaviest criterion; lighter ones only break ties. */
export function lexicographic(matrix: Matrix): Verdict {
  const order = heaviestFirst(matrix);
  const keys = matrix.scaled.map((row) => order.map((c) => at(row, c)));
  const { places, ranking, equal } = rankBy(matrix, keys);
  const [first = 0, second = 0] = places;
  const [mine, other] = [keys[first] ?? [], keys[second] ?? []];
  const decisive = order.findIndex((_, k) => at(mine, k) !== at(other, k));
  const by = decisive < 0 ? 'all criteria level' : criterionOf(matrix, order[decisive] ?? 0);
  return {
    ranking,
    equal,
    reason: `By importance: ${nameOf(matrix, first)} before ${nameOf(matrix, second)} on ${by}.`,
    lead: decisive < 0 ? 0 : clamp(at(mine, decisive) - at(other, decisive)),
  };
}

/**
 * Eliminates options below 0.5 of the range, criterion by criterion in order of weight, unless none
 * would remain. Options rank by the number of rounds they survive.
 */
export function eliminationByAspects(matrix: Matrix): Verdict {
  const options = matrix.optionIds.map((_, place) => place);
  const lasted = options.map(() => 0);
  let standing = options;
  const steps: string[] = [];
  for (const c of heaviestFirst(matrix)) {
    const passing = standing.filter((place) => at(matrix.scaled[place] ?? [], c) >= ASPIRATION);
    if (passing.length === 0 || passing.length === standing.length) continue;
    steps.push(`${criterionOf(matrix, c)} eliminates ${standing.length - passing.length}`);
    standing = passing;
    for (const place of standing) lasted[place] = at(lasted, place) + 1;
  }
  const { places, ranking, equal } = rankBy(
    matrix,
    lasted.map((rounds) => [rounds]),
  );
  const [first = 0, second = 0] = places;
  const story = steps.length === 0 ? 'no criterion eliminates an option' : steps.join(', ');
  const ahead = at(lasted, first) - at(lasted, second);
  return {
    ranking,
    equal,
    reason: `${nameOf(matrix, first)} remains: ${story}.`.slice(0, 300),
    lead: steps.length === 0 ? 0 : ahead / steps.length,
  };
}

/** Chooses by the total weight of the criteria that an option meets (0.5 of the range or more). */
export function satisficing(matrix: Matrix): Verdict {
  const met = matrix.scaled.map((row) =>
    row.reduce((sum, score, c) => sum + (score >= ASPIRATION ? at(matrix.weights, c) : 0), 0),
  );
  return verdictByScore(
    matrix,
    met,
    (o) =>
      `Good enough by weight: ${o.first} ${o.firstScore}, ${o.second} ${o.secondScore} ` +
      `(level ${figure(ASPIRATION)}).`,
  );
}

function heaviestFirst(matrix: Matrix): readonly number[] {
  return matrix.weights
    .map((_, c) => c)
    .sort((left, right) => at(matrix.weights, right) - at(matrix.weights, left) || left - right);
}
