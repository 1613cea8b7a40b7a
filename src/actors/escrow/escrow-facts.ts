import type { EscrowLog } from '../../domain/chain/trust-chain.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ev } from '../../runtime/engine/types.ts';

/**
 * Returns the event for a job from a confirmed log. Deadlines become remaining durations, because
 * the chain clock differs from ours.
 *
 * @param nowMs - The time that contracts use.
 */
export function factFromLog({ event, ...log }: EscrowLog, nowMs: number): Ev {
  const { transaction, block, logIndex, atS } = log;
  const where = { transaction, block, logIndex, atS };
  const remainingMs = (dueS: number) => Math.max(0, dueS * SECOND_MS - nowMs);
  switch (event.name) {
    case 'JobEscrowed':
      return { type: 'CHAIN.ESCROWED', ...where };
    case 'JobFulfilled': {
      const { deliverable, releaseByS } = event;
      const windowMs = remainingMs(releaseByS);
      return { type: 'CHAIN.FULFILLED', ...where, deliverable, releaseByS, windowMs };
    }
    case 'JobReleased': {
      const { net, fee, isAutomatic } = event;
      return { type: 'CHAIN.RELEASED', ...where, net, fee, isAutomatic };
    }
    case 'JobRefunded':
      return { type: 'CHAIN.REFUNDED', ...where };
    case 'JobDisputed': {
      const { reason, decideByS } = event;
      const refundMs = decideByS === 0 ? null : remainingMs(decideByS);
      return { type: 'CHAIN.DISPUTED', ...where, reason, refundMs };
    }
    case 'DisputeWithdrawn': {
      const { releaseByS } = event;
      const windowMs = remainingMs(releaseByS);
      return { type: 'CHAIN.DISPUTE_WITHDRAWN', ...where, releaseByS, windowMs };
    }
    case 'DisputeDecided': {
      const { isForProvider, verdict } = event;
      return { type: 'CHAIN.DECIDED', ...where, isForProvider, verdict };
    }
  }
}
