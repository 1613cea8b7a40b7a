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

/** Chooses the option with the best worst score; ties go to the next worst score (leximin). */
export function maximin(matrix: Matrix): Verdict {
  const sorted = matrix.scaled.map((row) => [...row].sort((left, right) => left - right));
  const { order, ranking, equal } = rankBy(matrix, sorted);
  const [first = 0, second = 0] = order;
  const worst = matrix.scaled[first] ?? [];
  const column = worst.indexOf(Math.min(...worst));
  const score = formatNumber(readAt(worst, column));
  const lowest = `lowest on ${criterionName(matrix, column)} (${score})`;
  return {
    ranking,
    equal,
    reason: `Best worst case: ${optionName(matrix, first)}, ${lowest}.`,
    lead: clampToUnit(readAt(sorted[first] ?? [], 0) - readAt(sorted[second] ?? [], 0)),
  };
}

/** Chooses the option with the smallest maximum weighted distance from the best score. */
export function minimaxRegret(matrix: Matrix): Verdict {
  const regrets = matrix.scaled.map((row) =>
    Math.max(...row.map((score, c) => (1 - score) * readAt(matrix.weights, c))),
  );
  return rankByScore(
    matrix,
    regrets.map((regret) => -regret),
    (o) => {
      const [mine, other] = [o.firstScore, o.secondScore].map((text) => text.replace('-', ''));
      return `Greatest regret: ${o.first} ${mine}, ${o.second} ${other}.`;
    },
  );
}
