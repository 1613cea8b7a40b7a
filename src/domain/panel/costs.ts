import { toText } from '../common/money.ts';
import type { Turn } from './records.ts';

/** What the turns of a panel cost, in whole micro-dollars as text. */
export interface PanelCosts {
  /** Known costs. */
  readonly spentMicroUsd: string;
  /** The most that calls may have cost whose answer a crash lost. */
  readonly orphanedMicroUsd: string;
  /** Turns of models without a known price: not in the sum, and never counted as free. */
  readonly unpricedTurns: number;
}

/** Sums up turns. Turns that no model was asked for cost nothing and are not unpriced. */
export function costsOf(turns: readonly Turn[]): PanelCosts {
  const { spent, orphaned, unpricedTurns } = sums(turns);
  return { spentMicroUsd: toText(spent), orphanedMicroUsd: toText(orphaned), unpricedTurns };
}

/** What counts against the budget: known costs and what lost calls may have cost. */
export function chargedMicroUsd(turns: readonly Turn[]): bigint {
  const { spent, orphaned } = sums(turns);
  return spent + orphaned;
}

function sums(turns: readonly Turn[]) {
  let [spent, orphaned, unpricedTurns] = [0n, 0n, 0];
  for (const { costMicroUsd, orphanedMicroUsd } of turns) {
    if (costMicroUsd === null) unpricedTurns += 1;
    else spent += BigInt(costMicroUsd);
    if (orphanedMicroUsd !== undefined) orphaned += BigInt(orphanedMicroUsd);
  }
  return { spent, orphaned, unpricedTurns };
}
