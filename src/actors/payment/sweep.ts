import type { ActorEngine } from '../../runtime/engine/types.ts';
import { purgeDue } from '../common/finished.ts';
import { PAYMENT_KIND } from './definition.ts';

const FINAL = ['refused', 'released', 'failed', 'closed', 'refunded'] as const;

/** Which payments a sweep removes. */
export interface PaymentSweep {
  /** Finished payments that ended before this go, in milliseconds. */
  readonly before: number;
  /** Ends the sweep early. */
  readonly signal?: AbortSignal;
}

/**
 * Removes all refused payments, and all finished ones that ended before `before`. A spent or
 * expired authorization cannot come back, so its key needs no row for ever.
 *
 * @returns How many were removed.
 */
export async function sweepPayments(
  engine: ActorEngine,
  { before, signal }: PaymentSweep,
): Promise<number> {
  let removed = 0;
  for (const state of FINAL) {
    removed += await purgeDue(engine, {
      query: { kind: PAYMENT_KIND, state },
      isDue: ({ at }) => state === 'refused' || at < before,
      ...(signal === undefined ? {} : { signal }),
    });
  }
  return removed;
}
