import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildMatrix, hasMatrix } from '../../../src/domain/debate/procedures/matrix.ts';
import { findProcedure, PROCEDURES } from '../../../src/domain/debate/procedures/procedures.ts';
import { scoredBrief } from '../../support/debate.ts';

function decide(procedureId: string, matrix = CASE) {
  const procedure = findProcedure(`rule:${procedureId}.v1`);
  if (procedure === undefined) throw new Error(`no procedure ${procedureId}`);
  return procedure.decide(matrix);
}

/*
 * Worked by hand. Three options, three criteria with weights 5, 3, 2 (0.5, 0.3, 0.2); the third is
 * a cost.
 *
 *         c1   c2   c3 (cost)      scaled to 0..1
 *   o1    10    2   300            1      0      0
 *   o2     6    8   200            0.5    0.75   0.5
 *   o3     2   10   100            0      1      1
 *
 * c1 (x - 2) / 8, c2 (x - 2) / 8, c3 (300 - x) / 200.
 */
const CASE = buildMatrix(
  scoredBrief(
    [
      [10, 2, 300],
      [6, 8, 200],
      [2, 10, 100],
    ],
    [{ weight: 5 }, { weight: 3 }, { weight: 2, higherIsBetter: false }],
  ),
);

test('scores are stretched to 0..1 and weights sum to 1', () => {
  expect(CASE.scaled).toEqual([
    [1, 0, 0],
    [0.5, 0.75, 0.5],
    [0, 1, 1],
  ]);
  expect(CASE.weights).toEqual([0.5, 0.3, 0.2]);
});

test('weighted sum: 0.5, 0.575, 0.5; the tie of o1 and o3 keeps the order of the brief', () => {
  const verdict = decide('weighted_sum');
  expect(verdict.ranking).toEqual(['o2', 'o1', 'o3']);
  expect(verdict.reason).toBe('Weighted sum: Option 2 0.575, Option 1 0.5.');
  expect(verdict.lead).toBeCloseTo(0.075, 12);
});

test('equal weights: means 1/3, 1.75/3, 2/3', () => {
  const verdict = decide('equal_weights');
  expect(verdict.ranking).toEqual(['o3', 'o2', 'o1']);
  expect(verdict.reason).toBe('Mean of scaled scores: Option 3 0.667, Option 2 0.583.');
});

test('lexicographic: c1 weighs most and puts o1 before o2 before o3', () => {
  const verdict = decide('lexicographic');
  expect(verdict.ranking).toEqual(['o1', 'o2', 'o3']);
  expect(verdict.reason).toBe('By importance: Option 1 before Option 2 on Criterion 1.');
  expect(verdict.lead).toBe(0.5);
});

test('maximin: worst scores 0, 0.5, 0; then next worst 0 against 1', () => {
  const verdict = decide('maximin');
  expect(verdict.ranking).toEqual(['o2', 'o3', 'o1']);
  expect(verdict.reason).toBe('Best worst case: Option 2, lowest on Criterion 1 (0.5).');
});

test('minimax regret: greatest weighted regrets 0.3, 0.25, 0.5', () => {
  const verdict = decide('minimax_regret');
  expect(verdict.ranking).toEqual(['o2', 'o1', 'o3']);
  expect(verdict.reason).toBe('Greatest regret: Option 2 0.25, Option 1 0.3.');
});

test('Copeland: o1 against each other wins c1 only, 0.5 to 0.5, so all duels are drawn', () => {
  // o2 against o3: c1 0.5 for o2, c2 and c3 0.5 for o3. Nothing but draws: the weighted sum rules.
  const verdict = decide('copeland');
  expect(verdict.ranking).toEqual(['o2', 'o1', 'o3']);
  expect(verdict.lead).toBe(0);
});

test('Copeland: with c1 at 0.6 the best on c1 wins every duel', () => {
  const weights = [{ weight: 6 }, { weight: 2 }, { weight: 2, higherIsBetter: false }];
  const rows = [
    [10, 2, 300],
    [6, 8, 200],
    [2, 10, 100],
  ];
  const verdict = decide('copeland', buildMatrix(scoredBrief(rows, weights)));
  expect(verdict.ranking).toEqual(['o1', 'o2', 'o3']);
  expect(verdict.reason).toBe('Duels won minus lost: Option 1 2, Option 2 0.');
  expect(verdict.lead).toBe(0.5);
});

test('elimination by aspects: c1 strikes o3, then c2 strikes o1', () => {
  const verdict = decide('elimination_by_aspects');
  expect(verdict.ranking).toEqual(['o2', 'o1', 'o3']);
  expect(verdict.reason).toBe(
    'Option 2 remains: Criterion 1 eliminates 1, Criterion 2 eliminates 1.',
  );
});

test('satisficing: weight of criteria at 0.5 or more is 0.5, 1, 0.5', () => {
  const verdict = decide('satisficing');
  expect(verdict.ranking).toEqual(['o2', 'o1', 'o3']);
  expect(verdict.reason).toBe('Good enough by weight: Option 2 1, Option 1 0.5 (level 0.5).');
});

test('dominance: nobody dominates here; where o1 is best on all, it does', () => {
  expect(decide('dominance').lead).toBe(0);
  const rows = [
    [3, 3],
    [2, 3],
    [1, 1],
  ];
  const verdict = decide(
    'dominance',
    buildMatrix(scoredBrief(rows, [{ weight: 1 }, { weight: 1 }])),
  );
  expect(verdict.ranking).toEqual(['o1', 'o2', 'o3']);
  expect(verdict.reason).toContain('Option 1 2, Option 2 0;');
  expect(verdict.lead).toBe(0.5);
});

test('varied weights: o2 leads unless c1 doubles (o1) or c3 does, alone or c2', () => {
  /*
   * Sums o1 = a, o2 = a/2 + 0.75 b + c/2, o3 = b + c for weights a, b, c. o2 beats o1 when
   * 1.5 b + c > a, and o3 when a > 0.5 b + c. At (0.5, 0.3, 0.2): 0.65 > 0.5 and 0.5 > 0.35.
   * a x0.5 (0.25): 0.25 > 0.35 fails, o3. x0.75 (0.375) o2. x1.25 (0.625) o2. x1.5 (0.75): 0.65 >
   * 0.75 fails, o1. x2 (1): o1.
   * b x0.5 (0.15): 0.425 > 0.5 fails, o1. x0.75 (0.225): 0.5375 o2. x1.25 (0.375) o2. x1.5 (0.45):
   * 0.5 > 0.425 o2. x2 (0.6): 0.5 > 0.5 ties with o3 at 0.8; o2's plain sum 0.575 breaks it: o2.
   * c x0.5 (0.1): 0.55 o2. x0.75 (0.15) o2. x1.25 (0.25): 0.5 > 0.4 o2. x1.5 (0.3) 0.5 > 0.45 o2.
   * x2 (0.4): 0.5 > 0.55 fails, o3.
   * o2: the base, a 2, b 4, c 4 = 11 of 16; o1 3, o3 2.
   */
  const verdict = decide('weight_perturbation');
  expect(verdict.ranking).toEqual(['o2', 'o1', 'o3']);
  expect(verdict.reason).toBe('Option 2 wins 11 of 16 variations of the weights (x0.5 to x2).');
  expect(verdict.lead).toBe(0.5);
});

test('TOPSIS on two criteria of vector length 5: closeness 0.5 each way', () => {
  /*
   * Columns (3, 4) and (4, 3), weights 0.5: lengths 5, so 0.3 0.4 and 0.4 0.3. Ideal (0.4, 0.4),
   * anti-ideal (0.3, 0.3): both options are 0.1 from each, closeness 0.5 and 0.5. With weights
   * 0.75 and 0.25: o1 (0.45, 0.2), o2 (0.6, 0.15); o1 to best 0.15, to worst 0.05: 0.25; o2 0.75.
   */
  const rows = [
    [3, 4],
    [4, 3],
  ];
  const level = decide('topsis', buildMatrix(scoredBrief(rows, [{ weight: 1 }, { weight: 1 }])));
  expect(level.ranking).toEqual(['o1', 'o2']);
  expect(level.lead).toBe(0);
  const tilted = decide('topsis', buildMatrix(scoredBrief(rows, [{ weight: 3 }, { weight: 1 }])));
  expect(tilted.reason).toBe('Closeness to the ideal: Option 2 0.75, Option 1 0.25.');
  expect(tilted.lead).toBeCloseTo(0.5, 12);
});

test('there are eleven procedures, one for each seat of the largest panel', () => {
  expect(PROCEDURES.map(({ procedureId }) => procedureId)).toEqual([
    'weighted_sum',
    'minimax_regret',
    'copeland',
    'lexicographic',
    'topsis',
    'maximin',
    'elimination_by_aspects',
    'satisficing',
    'equal_weights',
    'dominance',
    'weight_perturbation',
  ]);
});

const score = fc.integer({ min: -50, max: 50 });
const matrices = fc
  .record({ options: fc.integer({ min: 2, max: 8 }), criteria: fc.integer({ min: 1, max: 6 }) })
  .chain(({ options, criteria }) =>
    fc.record({
      rows: fc.array(fc.array(score, { minLength: criteria, maxLength: criteria }), {
        minLength: options,
        maxLength: options,
      }),
      columns: fc.array(
        fc.record({ weight: fc.integer({ min: 1, max: 9 }), higherIsBetter: fc.boolean() }),
        { minLength: criteria, maxLength: criteria },
      ),
    }),
  );

test('every procedure ranks every option once, with a short reason and a lead within 0..1', () => {
  fc.assert(
    fc.property(matrices, ({ rows, columns }) => {
      const brief = scoredBrief(rows, columns);
      const wanted = brief.options.map((option) => option.optionId).sort();
      for (const { decide: run } of PROCEDURES) {
        const { ranking, reason, lead } = run(buildMatrix(brief));
        expect([...ranking].sort()).toEqual(wanted);
        expect(reason.length).toBeGreaterThan(0);
        expect(reason).not.toMatch(/NaN|undefined/);
        expect(lead).toBeGreaterThanOrEqual(0);
        expect(lead).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('an option that is strictly best on every criterion comes first by every procedure', () => {
  fc.assert(
    fc.property(matrices, ({ rows, columns }) => {
      const best = columns.map((column) => (column.higherIsBetter ? 60 : -60));
      const brief = scoredBrief([...rows, best], columns);
      for (const { decide: run, procedureId } of PROCEDURES) {
        const [first] = run(buildMatrix(brief)).ranking;
        expect([procedureId, first]).toEqual([procedureId, `o${rows.length + 1}`]);
      }
    }),
  );
});

test('a brief has a matrix only with a score for every option on every criterion', () => {
  expect(hasMatrix(scoredBrief([[1], [2]], [{ weight: 1 }]))).toBe(true);
  expect(hasMatrix(scoredBrief([[1], []], [{ weight: 1 }]))).toBe(false);
  expect(hasMatrix(scoredBrief([[], []], []))).toBe(false);
});
