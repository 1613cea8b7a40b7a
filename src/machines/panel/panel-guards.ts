import type { EventObject } from 'xstate';
import { lastPosition } from '../../domain/panel/ballots.ts';
import { quorumOf } from '../../domain/panel/tally.ts';
import { chargedSoFar, type PanelContext } from './panel-context.ts';

type Facts = { readonly context: PanelContext };

/** Share of the budget from which no further round is begun, in percent. */
const BUDGET_SOFT_PERCENT = 80n;

/** True when every turn of the phase has ended. */
export function phaseIsOver({ context }: Facts): boolean {
  return context.pending.length === 0;
}

/** True when every turn of the phase has ended, and too few seats have taken a position. */
export function isOverWithoutQuorum(facts: Facts): boolean {
  return phaseIsOver(facts) && lacksQuorum(facts);
}

/** True while enough seats have taken a position for a decision to be possible. */
export function hasQuorum({ context }: Facts): boolean {
  return positionsOf(context).length >= quorumOf(context.input.seats.length);
}

/** True when too few seats have taken a position for any decision. */
export function lacksQuorum(facts: Facts): boolean {
  return !hasQuorum(facts);
}

/** True when all seats that have a position hold the same one. */
export function isUnanimous({ context }: Facts): boolean {
  return new Set(positionsOf(context)).size === 1;
}

/** True when the last round moved nobody. */
export function isStable({ context }: Facts): boolean {
  if (context.round === 0) return false;
  return !context.turns.some(
    (turn) =>
      turn.round === context.round &&
      turn.seatId !== context.input.devilSeatId &&
      turn.changedFrom !== undefined,
  );
}

/** True when time or money is too short for another round. */
export function mustHurry({ context }: Facts): boolean {
  const budget = BigInt(context.input.budgetMicroUsd);
  const isSoft = budget > 0n && chargedSoFar(context) * 100n >= budget * BUDGET_SOFT_PERCENT;
  return context.isLate || isSoft;
}

/** True when the request allows another round. */
export function hasRoundsLeft({ context }: Facts): boolean {
  return context.round < context.input.maxRounds;
}

/** True when the whole budget is spent: nothing more is asked, what is there is counted. */
export function isBudgetGone({ context }: Facts): boolean {
  if (context.pending.length === 0) return false;
  const budget = BigInt(context.input.budgetMicroUsd);
  return budget > 0n && chargedSoFar(context) >= budget;
}

/** True when time is short and the positions that are in suffice for a vote. */
export function isLateWithQuorum(facts: Facts): boolean {
  return facts.context.isLate && hasQuorum(facts);
}

/** True when time is short. */
export function isLate({ context }: Facts): boolean {
  return context.isLate;
}

/** True when a result is of a turn that is still awaited. */
export function isAwaited({ context, event }: Facts & { readonly event: EventObject }): boolean {
  const actorId = 'actorId' in event ? event.actorId : undefined;
  return typeof actorId === 'string' && context.pending.includes(actorId);
}

/** True when the count has found a winner. */
export function hasWinner({ context }: Facts): boolean {
  return context.tally !== null && context.tally.winner !== null;
}

/** True when a winner is to be sealed. */
export function isDecision({ context }: Facts): boolean {
  return context.outcome === 'decided';
}

/** True when a failure is to be sealed. */
export function isFailure({ context }: Facts): boolean {
  return context.outcome === 'failed';
}

/** True until the panel is bound to come to its end. */
export function mayCancel({ context }: Facts): boolean {
  return context.isBound !== true;
}

/** True when a cancel is to be sealed. */
export function isCancel({ context }: Facts): boolean {
  return context.outcome === 'cancelled';
}

function positionsOf({ turns, input }: PanelContext): readonly string[] {
  return input.seats.flatMap(({ seatId }) => {
    const position = lastPosition(turns, seatId, input.devilSeatId);
    return position === undefined ? [] : [position];
  });
}
