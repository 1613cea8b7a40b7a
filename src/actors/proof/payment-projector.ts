import { PaymentRecord } from '../../domain/payment/payment-record.ts';
import { PAYMENT_KIND } from '../payment/definition.ts';
import { createRefundedEvent, createSettledEvent } from './payment-events.ts';
import { projectPaymentProofs } from './payment-proofs.ts';
import type { Projector } from './projector.ts';
import { projectStatementProofs, type StatementSources } from './statement-proofs.ts';

const REFUND_EVENT = 'xstate.done.actor.refund';

/**
 * Creates the projector of payments: settlements, refunds, and the signed statements of settled
 * calls. A copy that an operator forked has an id that differs from its context, and is not
 * projected.
 */
export function createPaymentProjector(sources: StatementSources): Projector {
  return {
    kind: PAYMENT_KIND,
    after: ['xstate.done.actor.settle', 'xstate.done.actor.lookUp', REFUND_EVENT, 'WORK.DONE'],
    project: async (view, row) => {
      const record = PaymentRecord.parse(view.context);
      if (record.paymentId !== row.id) return { proofs: [], events: [] };
      const refunded =
        row.event.type === REFUND_EVENT ? createRefundedEvent(record, row.at) : undefined;
      return {
        proofs: [...projectPaymentProofs(record), ...projectStatementProofs(record, sources)],
        events: [createSettledEvent(record), refunded].flatMap((event) => event ?? []),
      };
    },
  };
}
