import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../common/error.ts';
import { MicroUsdText } from '../common/money.ts';
import { PaymentFlow, PaymentPayload } from './payment.ts';

/** A public error code at rest. */
const Code = z.custom<ErrorCode>(
  (value) => typeof value === 'string' && Object.hasOwn(ERRORS, value),
);

/** Why a payment did not go through, at rest. */
export const RecordedFault = z.object({ code: Code, message: z.string() });
/** See {@link RecordedFault}. */
export type RecordedFault = z.infer<typeof RecordedFault>;

/** What a payment is opened with, once it has passed every check that needs no chain. */
export const PaymentOrder = z.object({
  /** Made from network, asset, payer and nonce: one authorization, one payment. */
  paymentId: z.string(),
  flow: PaymentFlow,
  tool: z.string(),
  /** Hash of the canonical arguments. */
  argsHash: z.string(),
  /** Hash of tool, arguments, price, network and flow: what the key is good for. */
  binding: z.string(),
  priceMicroUsd: MicroUsdText,
  network: z.string(),
  payer: z.string(),
  resourceUrl: z.string(),
  /** Attribution tag of the caller; without effect. */
  src: z.string().nullable(),
  /** What was signed, without extensions. */
  payload: PaymentPayload,
  /** SHA-256 of the payment identifier that was presented with it; `null` without one. */
  identifierHash: z.string().nullable().optional(),
  /** From opening to the end of the authorization, in milliseconds. */
  lapseMs: z.number().nonnegative(),
  /** How long work may take once it is paid, in milliseconds; then the money goes back. */
  workMs: z.number().positive(),
  /** Id of the job that is created when the money is there. */
  jobId: z.string().nullable(),
  job: z.object({ kind: z.string(), input: z.record(z.string(), z.unknown()) }).nullable(),
});
/** See {@link PaymentOrder}. */
export type PaymentOrder = z.infer<typeof PaymentOrder>;

/** A payment as its actor keeps it. Plain JSON, a few KB. */
export const PaymentRecord = PaymentOrder.extend({
  fault: RecordedFault.nullable(),
  /** Blob with the tool result, when there is one. */
  resultSha: z.string().nullable(),
  transaction: z.string().nullable(),
  /** When the settlement was seen, in milliseconds. */
  settledAt: z.number().nullable(),
  /** Questions put to the chain about an unknown outcome so far. */
  lookUps: z.number().int(),
  /** What goes back, or has gone back, to the payer. */
  refundMicroUsd: MicroUsdText,
  refundReason: z.string().nullable(),
  refundTransaction: z.string().nullable(),
});
/** See {@link PaymentRecord}. */
export type PaymentRecord = z.infer<typeof PaymentRecord>;
