import { toIsoTime } from '../../domain/common/time.ts';
import { FEE_BPS } from '../../domain/payment/payment.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import { toSettlementRef } from '../../domain/proof/refs.ts';

const BPS = 10_000n;

/**
 * Returns the proofs of a payment: its settlement, then its refund. A payment that moved no money
 * has none. The same payment always gives the same proofs.
 */
export function projectPaymentProofs(record: PaymentRecord): readonly NewProof[] {
  const { paymentId, payer, transaction, settledAt, refundTransaction } = record;
  if (transaction === null || settledAt === null) return [];
  const shared = { kind: 30020, ref: toSettlementRef(paymentId), subject: payer } as const;
  const settlement: NewProof = {
    ...shared,
    key: `${paymentId}:settled`,
    payload: {
      event: 'settled',
      ...paymentFacts(record),
      transaction,
      settled_at: toIsoTime(settledAt),
    },
  };
  if (refundTransaction === null) return [settlement];
  const refund: NewProof = {
    ...shared,
    key: `${paymentId}:refunded`,
    payload: {
      event: 'refunded',
      ...paymentFacts(record),
      settlement_transaction: transaction,
      transaction: refundTransaction,
      refund_micro_usd: record.refundMicroUsd,
      reason: record.refundReason,
    },
  };
  return [settlement, refund];
}

function paymentFacts({ paymentId, tool, priceMicroUsd, network, payer, payload }: PaymentRecord) {
  const fee = (BigInt(priceMicroUsd) * BigInt(FEE_BPS)) / BPS;
  return {
    payment_id: paymentId,
    tool,
    price_micro_usd: priceMicroUsd,
    fee_bps: FEE_BPS,
    fee_micro_usd: String(fee),
    network,
    asset: payload.accepted.asset,
    payer,
    payee: payload.payload.authorization.to,
  };
}
