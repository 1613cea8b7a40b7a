import type { ActorEngine } from '../../runtime/types.ts';
import { isPurged, listRows } from '../finished.ts';
import { PAYMENT_KIND } from './definition.ts';

/** Most payments that one sweep removes. */
export const SWEEP_MAX = 1_000;

const FINAL = ['refused', 'released', 'failed', 'closed', 'refunded'] as const;

/**
 * Removes refused payments, and finished ones that ended before `before` (milliseconds). A spent
 * or expired authorization cannot come back, so its key needs no row for ever.
 *
 * @returns How many were removed, at most `SWEEP_MAX`.
 */
export async function sweepPayments(engine: ActorEngine, before: number): Promise<number> {
  let removed = 0;
  for (const state of FINAL) {
    for await (const { id, at } of listRows(engine, { kind: PAYMENT_KIND, state })) {
      if (state !== 'refused' && at >= before) continue;
      if (removed === SWEEP_MAX) return removed;
      if (await isPurged(engine, id)) removed += 1;
    }
  }
  return removed;
}
