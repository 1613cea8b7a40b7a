import { formatMicroUsd } from '../common/money.ts';
import type { Turn } from './records.ts';

/** Costs of the turns of a panel, in whole micro-dollars as text. */
export interface PanelCosts {
  /** Known costs. */
  readonly spentMicroUsd: string;
  /** Maximum cost of calls whose response was lost in a crash. */
  readonly orphanedMicroUsd: string;
  /**
   * Number of turns whose model has no known price. They are not in the sum and never count as
   * free.
   */
  readonly unpricedTurns: number;
}

/** Sums the costs of turns. Turns without a model call cost nothing and count as priced. */
export function sumPanelCosts(turns: readonly Turn[]): PanelCosts {
  const { spent, orphaned, unpricedTurns } = sumTurnCosts(turns);
  return {
    spentMicroUsd: formatMicroUsd(spent),
    orphanedMicroUsd: formatMicroUsd(orphaned),
    unpricedTurns,
  };
}

/** Returns the amount charged to the budget: known costs plus the maximum cost of lost calls. */
export function sumChargedMicroUsd(turns: readonly Turn[]): bigint {
  const { spent, orphaned } = sumTurnCosts(turns);
  return spent + orphaned;
}

function sumTurnCosts(turns: readonly Turn[]) {
  let [spent, orphaned, unpricedTurns] = [0n, 0n, 0];
  for (const { costMicroUsd, orphanedMicroUsd } of turns) {
    if (costMicroUsd === null) unpricedTurns += 1;
    else spent += BigInt(costMicroUsd);
    if (orphanedMicroUsd !== undefined) orphaned += BigInt(orphanedMicroUsd);
  }
  return { spent, orphaned, unpricedTurns };
}
