import { SECOND_MS } from '../../domain/common/time.ts';
import type { OnDeadline } from '../../domain/escrow/work.ts';
import { LATE_WINDOW_MS } from '../../machines/escrow/job-setup.ts';
import type { StandingJob } from './read.ts';

/** What happens next if nobody does anything, and when. */
export interface JobDeadline {
  /** Milliseconds; `null` where no moment decides anything. */
  readonly atMs: number | null;
  readonly what: OnDeadline;
}

/** States in which a job is over and the provider got nothing. */
const ENDED_UNPAID = ['unfunded', 'refunding', 'refunded', 'lapsed', 'forgone'];

/** Tells what time alone does to a job, from the state that it is in. */
export function nextDeadline({ state, context }: StandingJob): JobDeadline {
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
      return isLate ? forgoneAt(releaseByMs) : { atMs: releaseByMs, what: 'expired_unreleased' };
    case 'expired_unreleased':
      return forgoneAt(releaseByMs);
    case 'disputed':
      return disputeEnd(context);
    case 'refunding':
      return { atMs: null, what: 'refund' };
    default:
      return { atMs: null, what: 'none' };
  }
}

/** Tells whether a job has ended, or is ending, without anything for the provider. */
export function isEndedUnpaid({ state }: Pick<StandingJob, 'state'>): boolean {
  return ENDED_UNPAID.includes(mainState(state));
}

/** The state of a job without its parts. */
export function mainState(state: string): string {
  const [main = state] = state.split('.');
  return main;
}

function forgoneAt(releaseByMs: number | null): JobDeadline {
  return { atMs: releaseByMs === null ? null : releaseByMs + LATE_WINDOW_MS, what: 'forgone' };
}

/** Only an escrow of version 1 refunds a dispute by time; else the money stays where it is. */
function disputeEnd({ dispute, decideMs }: StandingJob['context']): JobDeadline {
  if (dispute?.isRefundedByTime !== true) return { atMs: null, what: 'held' };
  return { atMs: dispute.openedAtS * SECOND_MS + decideMs, what: 'refund' };
}
