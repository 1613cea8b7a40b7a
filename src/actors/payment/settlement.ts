import { ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { toMoney } from '../../domain/common/money.ts';
import { OFFER_RECEIPT_EXTENSION, RECEIPT_SCHEMA } from '../../domain/payment/offer-receipt.ts';
import { FEE_BPS, type SettlementResponse } from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import { toSettlementRef } from '../../domain/proof/refs.ts';
import type { PaymentView } from './record.ts';

/**
 * Returns the settlement that a paid answer carries: transaction, fee, signed receipt, and refund
 * state. The same payment always gives the same receipt.
 *
 * @returns `undefined` if the payment has not settled.
 */
export async function createSettlement(
  chain: PaymentChain,
  { state, record }: PaymentView,
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
    extensions: { [OFFER_RECEIPT_EXTENSION]: { info: { receipt }, schema: RECEIPT_SCHEMA } },
    extra: {
      feeBps: FEE_BPS,
      settlementRef: toSettlementRef(paymentId),
      ...refundFields(state, record),
    },
  };
}

/** Returns the settlement of a payment that failed or is still pending. */
export function createFailedSettlement(
  record: PaymentRecord,
  reason: ErrorCode,
): SettlementResponse {
  const { transaction, network, payer } = record;
  return { success: false, transaction: transaction ?? '', network, payer, errorReason: reason };
}

/**
 * Returns why a payment gives no answer: its own error once it is final, else `PAYMENT_PENDING`.
 */
export function faultOfPayment({ state, record }: PaymentView): PaymentFailure {
  const { fault, paymentId, transaction } = record;
  const isFinal = state === 'failed' || state === 'refused' || state === 'released';
  if (isFinal && fault !== null) return fault;
  // The payment may still settle until its authorization expires, whatever blocks it now.
  const isHeldUp = fault !== null && fault.code !== 'PAYMENT_PENDING';
  const reason = isHeldUp ? { reason: fault.code, detail: fault.message } : {};
  const data = { payment_id: paymentId, transaction, ...reason };
  return { code: 'PAYMENT_PENDING', message: ERRORS.PAYMENT_PENDING.summary, data };
}

function refundFields(state: PaymentView['state'], record: PaymentRecord) {
  if (record.refundReason === null) return {};
  const { refundMicroUsd, refundReason, refundTransaction } = record;
  return {
    refund: {
      state: state === 'refunded' ? 'refunded' : 'due',
      ...toMoney(refundMicroUsd),
      reason: refundReason,
      transaction: refundTransaction,
    },
  };
}
