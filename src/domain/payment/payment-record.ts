import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../common/error.ts';
import { MicroUsdText } from '../common/money.ts';
import { PaymentFlow, PaymentPayload } from './payment.ts';

/** A stored public error code. */
const StoredErrorCode = z.custom<ErrorCode>(
  (value) => typeof value === 'string' && Object.hasOwn(ERRORS, value),
);

/** A stored payment error. */
export const RecordedFault = z.object({ code: StoredErrorCode, message: z.string() });
/** A stored payment error. */
export type RecordedFault = z.infer<typeof RecordedFault>;

/** Input of a payment that passed all checks without chain access. */
export const PaymentOrder = z.object({
  /** Derived from network, asset, payer and nonce: one payment per authorization. */
  paymentId: z.string(),
  flow: PaymentFlow,
  tool: z.string(),
  /** Hash of the canonical arguments. */
  argsHash: z.string(),
  /** Hash of tool, arguments, price, network and flow: what the payment is valid for. */
  binding: z.string(),
  priceMicroUsd: MicroUsdText,
  network: z.string(),
  payer: z.string(),
  resourceUrl: z.string(),
  /** Attribution tag of the caller; without effect. */
  src: z.string().nullable(),
  /** The signed payload, without the client's extensions. Listed facts only for a facilitator. */
  payload: PaymentPayload,
  /** SHA-256 of the payment identifier presented with it; `null` if none. */
  identifierHash: z.string().nullable().optional(),
  /** Time from opening to the end of the authorization, in milliseconds. */
  lapseMs: z.number().nonnegative(),
  /** Maximum duration of paid work, in milliseconds. After it, the payment is refunded. */
  workMs: z.number().positive(),
  /** Id of the job that is created after settlement. */
  jobId: z.string().nullable(),
  job: z.object({ kind: z.string(), input: z.record(z.string(), z.unknown()) }).nullable(),
});
/** Input of a payment. */
export type PaymentOrder = z.infer<typeof PaymentOrder>;

/** The state of a payment in its actor: plain JSON of a few KB. */
export const PaymentRecord = PaymentOrder.extend({
  fault: RecordedFault.nullable(),
  /** Blob of the tool result, if any. */
  resultSha: z.string().nullable(),
  transaction: z.string().nullable(),
  /** Time at which the settlement was observed, in milliseconds since 1970. */
  settledAt: z.number().nullable(),
  /** Number of chain queries about an unknown outcome so far. */
  lookUps: z.number().int(),
  /** Amount refunded or to be refunded to the payer. */
  refundMicroUsd: MicroUsdText,
  refundReason: z.string().nullable(),
  refundTransaction: z.string().nullable(),
});
/** The state of a payment in its actor. */
export type PaymentRecord = z.infer<typeof PaymentRecord>;
