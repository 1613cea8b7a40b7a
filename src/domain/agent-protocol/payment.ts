import type { ErrorCode } from '../common/error.ts';
import { type JsonObject, toJson } from '../common/json.ts';
import type { PaymentRequired, SettlementResponse } from '../payment/payment.ts';

/** The extension by which tasks are paid (x402 for A2A, version 0.2). */
export const PAYMENT_EXTENSION_URI =
  'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2';

/** The keys of the extension in the metadata of messages. */
export const PAYMENT_KEYS = {
  status: 'x402.payment.status',
  required: 'x402.payment.required',
  payload: 'x402.payment.payload',
  receipts: 'x402.payment.receipts',
  error: 'x402.payment.error',
} as const;

/** The payment of a task as its messages state it. */
export type TaskPayment =
  /** Unpaid, or refused: then with the reason. */
  | { readonly status: 'required'; readonly required: PaymentRequired }
  | {
      readonly status: 'failed';
      readonly required: PaymentRequired;
      readonly code: ErrorCode;
      readonly settlement: SettlementResponse | undefined;
    }
  /** The outcome is not known yet. */
  | { readonly status: 'submitted' }
  | { readonly status: 'rejected' }
  | { readonly status: 'completed'; readonly settlement: SettlementResponse };

/** Returns the metadata of a message that states a payment. */
export function toPaymentMetadata(payment: TaskPayment): JsonObject {
  return JSON.parse(JSON.stringify(toJson(metadataOf(payment)))) as JsonObject;
}

/** The error codes that the extension names; other errors keep the code of this server. */
const COMMON_CODES: Partial<Record<ErrorCode, string>> = {
  PAYMENT_FUNDS: 'INSUFFICIENT_FUNDS',
  PAYMENT_FORGED: 'INVALID_SIGNATURE',
  PAYMENT_EXPIRED: 'EXPIRED_PAYMENT',
  PAYMENT_REPLAYED: 'DUPLICATE_NONCE',
  PAYMENT_CONFLICT: 'DUPLICATE_NONCE',
  PAYMENT_WRONG_NETWORK: 'NETWORK_MISMATCH',
  PAYMENT_UNDERPAID: 'INVALID_AMOUNT',
};

function metadataOf(payment: TaskPayment): Readonly<Record<string, unknown>> {
  const status = { [PAYMENT_KEYS.status]: `payment-${payment.status}` };
  switch (payment.status) {
    case 'required':
      return { ...status, [PAYMENT_KEYS.required]: payment.required };
    case 'failed':
      return {
        ...status,
        [PAYMENT_KEYS.required]: payment.required,
        [PAYMENT_KEYS.error]: COMMON_CODES[payment.code] ?? payment.code,
        [PAYMENT_KEYS.receipts]: payment.settlement === undefined ? [] : [payment.settlement],
      };
    case 'submitted':
    case 'rejected':
      return status;
    case 'completed':
      return { ...status, [PAYMENT_KEYS.receipts]: [payment.settlement] };
  }
}
