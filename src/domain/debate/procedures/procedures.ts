import { equalWeights, topsis, weightedSum, weightPerturbation } from './compensatory.ts';
import type { Matrix, Verdict } from './matrix.ts';
import { copeland, dominance } from './pairwise.ts';
import { eliminationByAspects, lexicographic, satisficing } from './stepwise.ts';
import { maximin, minimaxRegret } from './worst-case.ts';

/** A named decision procedure over options and criteria. */
export interface Procedure {
  /** Part of a seat's model name, `rule:<procedureId>.v1`. */
  readonly procedureId: string;
  readonly title: string;
  decide(matrix: Matrix): Verdict;
}

/**
 * The eleven procedures in seating order. The first five follow different schools, so that even the
 * smallest panel tests robustness.
 */
export const PROCEDURES: readonly Procedure[] = [
  { procedureId: 'weighted_sum', title: 'weighted sum', decide: weightedSum },
  { procedureId: 'minimax_regret', title: 'minimax regret', decide: minimaxRegret },
  { procedureId: 'copeland', title: 'Copeland duels', decide: copeland },
  { procedureId: 'lexicographic', title: 'lexicographic order', decide: lexicographic },
  { procedureId: 'topsis', title: 'TOPSIS', decide: topsis },
  { procedureId: 'maximin', title: 'maximin', decide: maximin },
  {
    procedureId: 'elimination_by_aspects',
    title: 'elimination by aspects',
    decide: eliminationByAspects,
  },
  { procedureId: 'satisficing', title: 'satisficing', decide: satisficing },
  { procedureId: 'equal_weights', title: 'equal weights', decide: equalWeights },
  { procedureId: 'dominance', title: 'dominance count', decide: dominance },
  { procedureId: 'weight_perturbation', title: 'varied weights', decide: weightPerturbation },
];

/** Finds the procedure of a seat's model, such as `rule:topsis.v1`. */
export function findProcedure(model: string): Procedure | undefined {
  return PROCEDURES.find(({ procedureId }) => model === ruleModelName(procedureId));
}

/** Returns the model name of a seat that a procedure fills. */
export function ruleModelName(procedureId: string): string {
  return `rule:${procedureId}.v1`;
}
