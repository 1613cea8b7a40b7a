import { PaymentRecord } from '../../domain/payment/payment-record.ts';
import { PAYMENT_KIND } from '../payment/definition.ts';
import { refundedEvent, settledEvent } from './payment-events.ts';
import { paymentProofs } from './payment-proofs.ts';
import { type StatementSources, statementProofs } from './statement-proofs.ts';
import type { Teller } from './teller.ts';

const REFUND = 'xstate.done.actor.refund';

/**
 * Creates the projector of payments: settlements, refunds, and the signed statements of settled
 * calls. A copy that an operator forked has an id that differs from its context, and is not
 * projected.
 */
export function paymentTeller(sources: StatementSources): Teller {
  return {
    kind: PAYMENT_KIND,
    after: ['xstate.done.actor.settle', 'xstate.done.actor.lookUp', REFUND, 'WORK.DONE'],
    tell: async (view, row) => {
      const record = PaymentRecord.parse(view.context);
      if (record.paymentId !== row.id) return { proofs: [], events: [] };
      const refunded = row.event.type === REFUND ? refundedEvent(record, row.at) : undefined;
      return {
        proofs: [...paymentProofs(record), ...statementProofs(record, sources)],
        events: [settledEvent(record), refunded].flatMap((event) => event ?? []),
      };
    },
  };
}
