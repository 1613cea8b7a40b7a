import type { ActorEngine } from '../../runtime/engine/types.ts';
import { purgeDue } from '../common/finished.ts';
import { PAYMENT_KIND } from './definition.ts';

const FINAL = ['refused', 'released', 'failed', 'closed', 'refunded'] as const;

/** Selects the payments that a sweep removes. */
export interface PaymentSweep {
  /** Removes finished payments that ended before this Unix time in milliseconds. */
  readonly before: number;
  /** Stops the sweep early. */
  readonly signal?: AbortSignal;
}

/**
 * Removes all refused payments, and all finished ones that ended before `before`. A spent or
 * expired authorization cannot be used again, so its key needs no permanent row.
 *
 * @returns The number of removed payments.
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
