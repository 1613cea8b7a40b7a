import { SECOND_MS } from '../../domain/common/time.ts';
import type { OnDeadline } from '../../domain/escrow/work.ts';
import { LATE_WINDOW_MS } from '../../machines/escrow/job-setup.ts';
import type { JobActorState } from './read-actors.ts';

/** What happens to a job, and when, if nobody acts. */
export interface JobDeadline {
  /** Unix time in milliseconds; `null` if no deadline applies. */
  readonly atMs: number | null;
  readonly what: OnDeadline;
}

/** States in which a job has ended and the provider received nothing. */
const ENDED_UNPAID = ['unfunded', 'refunding', 'refunded', 'lapsed', 'forgone'];

/** Returns the next time-based change of a job in its current state. */
export function nextDeadline({ state, context }: JobActorState): JobDeadline {
  const { funding, releaseByMs, fulfilByS, isLate } = context;
  const isEscrow = funding === 'escrow';
  switch (mainState(state)) {
    case 'agreed':
      return { atMs: fulfilByS * SECOND_MS, what: 'lapsed' };
    case 'escrowed':
      return { atMs: fulfilByS * SECOND_MS, what: 'refund' };
    case 'fulfilled':
      return { atMs: releaseByMs, what: isEscrow ? 'auto_release' : 'expired_unreleased' };
    case 'collecting':
      return isLate
        ? forgoneDeadline(releaseByMs)
        : { atMs: releaseByMs, what: 'expired_unreleased' };
    case 'expired_unreleased':
      return forgoneDeadline(releaseByMs);
    case 'disputed':
      return disputeDeadline(context);
    case 'refunding':
      return { atMs: null, what: 'refund' };
    default:
      return { atMs: null, what: 'none' };
  }
}

/** Returns whether a job has ended, or is ending, without payment to the provider. */
export function isEndedUnpaid({ state }: Pick<JobActorState, 'state'>): boolean {
  return ENDED_UNPAID.includes(mainState(state));
}

/** Returns the top-level part of a job state. */
export function mainState(state: string): string {
  const [main = state] = state.split('.');
  return main;
}

function forgoneDeadline(releaseByMs: number | null): JobDeadline {
  return { atMs: releaseByMs === null ? null : releaseByMs + LATE_WINDOW_MS, what: 'forgone' };
}

/** Only version 1 of the escrow refunds a dispute by time; otherwise the money is held. */
function disputeDeadline({ dispute, decideMs }: JobActorState['context']): JobDeadline {
  if (dispute?.isRefundedByTime !== true) return { atMs: null, what: 'held' };
  return { atMs: dispute.openedAtS * SECOND_MS + decideMs, what: 'refund' };
}
