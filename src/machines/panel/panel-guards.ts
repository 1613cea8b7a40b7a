import type { EventObject } from 'xstate';
import { findLastPosition } from '../../domain/panel/ballots.ts';
import { computeQuorum } from '../../domain/panel/tally.ts';
import { type PanelContext, sumCharged } from './panel-context.ts';

type Facts = { readonly context: PanelContext };

/** Percentage of the budget after which no further round starts. */
const BUDGET_SOFT_PERCENT = 80n;

/** Returns whether every turn of the phase has ended. */
export function phaseIsOver({ context }: Facts): boolean {
  return context.pending.length === 0;
}

/** Returns whether the phase has ended without a quorum. */
export function isOverWithoutQuorum(facts: Facts): boolean {
  return phaseIsOver(facts) && lacksQuorum(facts);
}

/** Returns whether enough seats have taken a position for a decision. */
export function hasQuorum({ context }: Facts): boolean {
  return listPositions(context).length >= computeQuorum(context.input.seats.length);
}

/** Returns whether too few seats have taken a position for a decision. */
export function lacksQuorum(facts: Facts): boolean {
  return !hasQuorum(facts);
}

/** Returns whether all seats with a position agree. */
export function isUnanimous({ context }: Facts): boolean {
  return new Set(listPositions(context)).size === 1;
}

/** Returns whether no seat changed its position in the last round. */
export function isStable({ context }: Facts): boolean {
  if (context.round === 0) return false;
  return !context.turns.some(
    (turn) =>
      turn.round === context.round &&
      turn.seatId !== context.input.devilSeatId &&
      turn.changedFrom !== undefined,
  );
}

/** Returns whether time or budget is too short for another round. */
export function mustHurry({ context }: Facts): boolean {
  const budget = BigInt(context.input.budgetMicroUsd);
  const isSoft = budget > 0n && sumCharged(context) * 100n >= budget * BUDGET_SOFT_PERCENT;
  return context.isLate || isSoft;
}

/** Returns whether the request allows another round. */
export function hasRoundsLeft({ context }: Facts): boolean {
  return context.round < context.input.maxRounds;
}

/** Returns whether the budget is used up while turns are running; no more turns start then. */
export function isBudgetGone({ context }: Facts): boolean {
  if (context.pending.length === 0) return false;
  const budget = BigInt(context.input.budgetMicroUsd);
  return budget > 0n && sumCharged(context) >= budget;
}

/** Returns whether time is short and the positions so far suffice for a vote. */
export function isLateWithQuorum(facts: Facts): boolean {
  return facts.context.isLate && hasQuorum(facts);
}

/** Returns whether time is short. */
export function isLate({ context }: Facts): boolean {
  return context.isLate;
}

/** Returns whether an event belongs to a pending turn. */
export function isAwaited({ context, event }: Facts & { readonly event: EventObject }): boolean {
  const actorId = 'actorId' in event ? event.actorId : undefined;
  return typeof actorId === 'string' && context.pending.includes(actorId);
}

/** Returns whether the tally has a winner. */
export function hasWinner({ context }: Facts): boolean {
  return context.tally !== null && context.tally.winner !== null;
}

/** Returns whether the outcome is a decision. */
export function isDecision({ context }: Facts): boolean {
  return context.outcome === 'decided';
}

/** Returns whether the outcome is a failure. */
export function isFailure({ context }: Facts): boolean {
  return context.outcome === 'failed';
}

/** Returns whether the panel can still be cancelled. */
export function mayCancel({ context }: Facts): boolean {
  return context.isBound !== true;
}

/** Returns whether the outcome is a cancellation. */
export function isCancel({ context }: Facts): boolean {
  return context.outcome === 'cancelled';
}

function listPositions({ turns, input }: PanelContext): readonly string[] {
  return input.seats.flatMap(({ seatId }) => {
    const position = findLastPosition(turns, seatId, input.devilSeatId);
    return position === undefined ? [] : [position];
  });
}
