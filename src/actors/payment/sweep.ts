import type { ActorEngine } from '../../runtime/engine/types.ts';
import { purgeDue } from '../common/actor-lists.ts';
import { PAYMENT_KIND } from './definition.ts';

const FINAL_STATES = ['refused', 'released', 'failed', 'closed', 'refunded'] as const;

/** Selects the payments that a sweep removes. */
export interface PaymentSweepOptions {
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
  { before, signal }: PaymentSweepOptions,
): Promise<number> {
  let removed = 0;
  for (const state of FINAL_STATES) {
    removed += await purgeDue(engine, {
      query: { kind: PAYMENT_KIND, state },
      isDue: ({ at }) => state === 'refused' || at < before,
      ...(signal === undefined ? {} : { signal }),
    });
  }
  return removed;
}
