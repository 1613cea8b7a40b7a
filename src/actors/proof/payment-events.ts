import { takeBasisPoints } from '../../domain/common/money.ts';
import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import { FEE_BPS } from '../../domain/payment/payment.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import { toSettlementRef } from '../../domain/proof/refs.ts';

/** Returns the public event of a settlement; `undefined` if no money moved. */
export function createSettledEvent(record: PaymentRecord): NewPublicEvent | undefined {
  const { paymentId, priceMicroUsd, transaction, settledAt } = record;
  if (transaction === null || settledAt === null) return undefined;
  const fee = String(takeBasisPoints(BigInt(priceMicroUsd), FEE_BPS));
  return {
    ...sharedFields(record),
    key: `${paymentId}:settled`,
    type: 'settlement.settled',
    data: { price: priceMicroUsd, fee_bps: FEE_BPS, fee, ...eventFacts(record), transaction },
    happenedAt: settledAt,
  };
}

/** Returns the public event of an on-chain refund, which was seen at `at`. */
export function createRefundedEvent(record: PaymentRecord, at: number): NewPublicEvent | undefined {
  const { paymentId, transaction, refundTransaction, refundMicroUsd, refundReason } = record;
  if (transaction === null || refundTransaction === null) return undefined;
  return {
    ...sharedFields(record),
    key: `${paymentId}:refunded`,
    type: 'settlement.refunded',
    data: {
      amount: refundMicroUsd,
      ...eventFacts(record),
      transaction: refundTransaction,
      settlement_transaction: transaction,
      // The tool's own failure reason may quote the caller, so it is not published.
      reason: refundReason === 'cancelled' ? 'cancelled' : 'failed',
    },
    happenedAt: at,
  };
}

function sharedFields({ paymentId, payer }: PaymentRecord) {
  return { ref: toSettlementRef(paymentId), subjects: [payer] };
}

function eventFacts({ network, tool }: PaymentRecord) {
  return { network, tool };
}
