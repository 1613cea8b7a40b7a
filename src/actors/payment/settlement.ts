import { ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { money } from '../../domain/common/money.ts';
import { FEE_BPS, type SettlementResponse } from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFault } from '../../domain/payment/payment-chain.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import { settlementRef } from '../../domain/proof/refs.ts';
import type { StandingPayment } from './record.ts';

/** Key of the offers and receipts extension of x402. */
const OFFER_RECEIPT_EXTENSION = 'offer-receipt';

/**
 * The settlement that a paid answer carries: transaction, fee, signed receipt, and what became of
 * a refund. The same payment gives the same receipt however often it is asked for.
 */
export async function settlementOf(
  chain: PaymentChain,
  { state, record }: StandingPayment,
): Promise<SettlementResponse | undefined> {
  const { paymentId, transaction, settledAt, payer, network, resourceUrl } = record;
  if (transaction === null || settledAt === null) return undefined;
  const receipt = await chain.signReceipt({
    resourceUrl,
    payer,
    transaction,
    issuedAt: settledAt,
  });
  return {
    success: true,
    transaction,
    network,
    payer,
    amount: record.priceMicroUsd,
    extensions: { [OFFER_RECEIPT_EXTENSION]: { info: { receipt } } },
    extra: {
      feeBps: FEE_BPS,
      settlementRef: settlementRef(paymentId),
      ...refundFacts(state, record),
    },
  };
}

/** The settlement of a payment that did not go through, or not yet. */
export function unsettled(record: PaymentRecord, reason: ErrorCode): SettlementResponse {
  const { transaction, network, payer } = record;
  return { success: false, transaction: transaction ?? '', network, payer, errorReason: reason };
}

/** Why a payment gives no answer: its own fault while it has one, else that it is not final. */
export function faultOfPayment({ state, record }: StandingPayment): PaymentFault {
  const { fault, paymentId, transaction } = record;
  const isFinal = state === 'failed' || state === 'refused' || state === 'released';
  if (isFinal && fault !== null) return fault;
  // It may still go through as long as its authorization lives, whatever stands in its way now.
  const isHeldUp = fault !== null && fault.code !== 'PAYMENT_PENDING';
  const reason = isHeldUp ? { reason: fault.code, detail: fault.message } : {};
  const data = { payment_id: paymentId, transaction, ...reason };
  return { code: 'PAYMENT_PENDING', message: ERRORS.PAYMENT_PENDING.summary, data };
}

function refundFacts(state: StandingPayment['state'], record: PaymentRecord) {
  if (record.refundReason === null) return {};
  const { refundMicroUsd, refundReason, refundTransaction } = record;
  return {
    refund: {
      state: state === 'refunded' ? 'refunded' : 'due',
      ...money(refundMicroUsd),
      reason: refundReason,
      transaction: refundTransaction,
    },
  };
}
