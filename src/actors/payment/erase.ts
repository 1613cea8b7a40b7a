import type { Erasable } from '../../domain/common/erasable.ts';
import type { PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import { toSettlementRef } from '../../domain/proof/refs.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { listAll, tryPurge } from '../common/actor-lists.ts';
import { PAYMENT_KIND } from './definition.ts';
import { findPayment } from './record.ts';

/** States in which a payment never changes again. */
const FINAL_STATES = ['released', 'failed', 'closed', 'refunded'] as const;

/**
 * Creates the eraser of a payer's finished payments and their identifiers. A payment that moved
 * money is erased only after its proof is in the log. Payments in progress are kept.
 */
export function createPaymentEraser(engine: ActorEngine, log: ProofLog, ids: PaymentIds): Erasable {
  const isErasable = async (id: string, subject: string): Promise<boolean> => {
    const payment = await findPayment(engine, id);
    if (payment?.record.payer.toLowerCase() !== subject) return false;
    const { settledAt, identifierHash } = payment.record;
    if (settledAt !== null && log.find(toSettlementRef(id), 1).length === 0) return false;
    if (typeof identifierHash === 'string') {
      await ids.remove({ payer: subject, identifierHash, paymentId: id });
    }
    return true;
  };
  return {
    store: 'payments',
    erase: async (subject) => {
      let erased = 0;
      for (const state of FINAL_STATES) {
        for (const { id } of await listAll(engine, { kind: PAYMENT_KIND, state })) {
          if ((await isErasable(id, subject)) && (await tryPurge(engine, id))) erased += 1;
        }
      }
      return erased;
    },
  };
}
