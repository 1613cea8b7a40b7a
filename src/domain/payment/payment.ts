import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';

/** The protocol version of x402 that is spoken here. */
export const X402_VERSION = 2;

/** Header with the challenge, on a 402 answer: base64 of the JSON. */
export const PAYMENT_REQUIRED_HEADER = 'payment-required';
/** Header with the payment, on a call: base64 of the JSON. */
export const PAYMENT_SIGNATURE_HEADER = 'payment-signature';
/** Header with the settlement, on a paid answer: base64 of the JSON. */
export const PAYMENT_RESPONSE_HEADER = 'payment-response';
/** Key of the payment in a tool call's `_meta`. */
export const PAYMENT_META = 'x402/payment';
/** Key of the settlement in a tool result's `_meta`. */
export const PAYMENT_RESPONSE_META = 'x402/payment-response';

/** Share of a settled job that the service keeps, in basis points (specification section 8). */
export const FEE_BPS = 2000;

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const Bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const Uint = z.string().regex(/^(0|[1-9]\d{0,77})$/);

/**
 * Key of the payment-identifier extension of x402: an id that the client makes. It travels with a
 * payment and never reaches the chain, so it tells the payer from whoever has read the signature
 * there; and it stands for one payment and one call.
 */
export const PAYMENT_IDENTIFIER_EXTENSION = 'payment-identifier';
/** The id of that extension: 16 to 128 letters, digits, hyphens and underscores. */
export const PaymentIdentifier = z.string().regex(/^[a-zA-Z0-9_-]{16,128}$/);
/**
 * Key of an extension of challenges with a fresh secret. Clients send the extensions of a challenge
 * back, so one that makes no payment identifier can still fetch its answer again. It never
 * stands for a payment: one challenge may be paid twice. `call` names what is asked for: calls
 * with one name are the same work, and a payment for one is good for the other.
 */
export const REPEAT_KEY_EXTENSION = 'repeat-key';

/**
 * When money moves. `authorization`: verify, work, settle, deliver; no answer, no settlement.
 * `upfront`: settle, then work; a failure of ours is refunded on chain.
 */
export const PaymentFlow = z.enum(['authorization', 'upfront']);
/** See {@link PaymentFlow}. */
export type PaymentFlow = z.infer<typeof PaymentFlow>;

/** One way to pay, as offered. `amount` is in the asset's smallest unit, here micro-dollars. */
export const PaymentRequirements = z.looseObject({
  scheme: z.literal('exact'),
  network: z.string(),
  amount: MicroUsdText,
  asset: Address,
  payTo: Address,
  maxTimeoutSeconds: z.number().int().positive(),
  extra: z.record(z.string(), z.unknown()),
});
/** See {@link PaymentRequirements}. */
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** The challenge (x402 v2 `PaymentRequired`). */
export const PaymentRequired = z.looseObject({
  x402Version: z.literal(X402_VERSION),
  error: z.string(),
  resource: z.looseObject({ url: z.string(), description: z.string(), mimeType: z.string() }),
  accepts: z.array(PaymentRequirements),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
/** See {@link PaymentRequired}. */
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** An EIP-3009 transfer authorization. Times are unix seconds as text. */
export const Authorization = z.object({
  from: Address,
  to: Address,
  value: Uint,
  validAfter: Uint,
  validBefore: Uint,
  nonce: Bytes32,
});
/** See {@link Authorization}. */
export type Authorization = z.infer<typeof Authorization>;

/** What a payer presents (x402 v2 `PaymentPayload`, scheme `exact`, EIP-3009). */
export const PaymentPayload = z.looseObject({
  x402Version: z.literal(X402_VERSION),
  accepted: PaymentRequirements,
  payload: z.object({
    signature: z.string().regex(/^0x([0-9a-fA-F]{2}){64,2048}$/),
    authorization: Authorization,
  }),
  resource: z.looseObject({ url: z.string() }).optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
/** See {@link PaymentPayload}. */
export type PaymentPayload = z.infer<typeof PaymentPayload>;

/** What a settled or failed payment is answered with (x402 v2 `SettleResponse`). */
export const SettlementResponse = z.looseObject({
  success: z.boolean(),
  transaction: z.string(),
  network: z.string(),
  payer: z.string(),
  amount: MicroUsdText.optional(),
  errorReason: z.string().optional(),
  extensions: z.record(z.string(), z.unknown()).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
});
/** See {@link SettlementResponse}. */
export type SettlementResponse = z.infer<typeof SettlementResponse>;
