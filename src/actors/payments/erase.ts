import type { Erasable } from '../../domain/ports/erasable.ts';
import type { ProofLog } from '../../domain/ports/proof-log.ts';
import { settlementRef } from '../../domain/proof/refs.ts';
import type { ActorEngine } from '../../runtime/types.ts';
import { isEngineCode } from '../engine-error.ts';
import { PAYMENT_KIND } from './definition.ts';
import { findPayment } from './record.ts';

/** States after which nothing more comes of a payment. */
const FINAL = ['released', 'failed', 'closed', 'refunded'] as const;

/**
 * Finished payments of a payer. One that moved money goes only once its proof is in the log; those
 * that are under way stay until they are finished.
 */
export function erasablePayments(engine: ActorEngine, log: ProofLog): Erasable {
  const isProven = (paymentId: string): boolean =>
    log.find(settlementRef(paymentId), 1).length > 0;
  return {
    store: 'payments',
    erase: async (subject) => {
      let erased = 0;
      for (const state of FINAL) {
        for (const paymentId of await idsIn(engine, state)) {
          const payment = await findPayment(engine, paymentId);
          if (payment?.record.payer.toLowerCase() !== subject) continue;
          if (payment.record.settledAt !== null && !isProven(paymentId)) continue;
          if (await isPurged(engine, paymentId)) erased += 1;
        }
      }
      return erased;
    },
  };
}

async function idsIn(engine: ActorEngine, state: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const next: { readonly cursor?: string } = cursor === undefined ? {} : { cursor };
    const page = await engine.list({ kind: PAYMENT_KIND, state, ...next });
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

async function isPurged(engine: ActorEngine, id: string): Promise<boolean> {
  try {
    await engine.purge(id);
    return true;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_ACTIVE') || isEngineCode(thrown, 'ACTOR_UNKNOWN')) return false;
    throw thrown;
  }
}
