import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';

/** The supported x402 protocol version. */
export const X402_VERSION = 2;

/** Header of a 402 response with the challenge, as base64 of the JSON. */
export const PAYMENT_REQUIRED_HEADER = 'payment-required';
/** Header of a call with the payment, as base64 of the JSON. */
export const PAYMENT_SIGNATURE_HEADER = 'payment-signature';
/** Header of a paid response with the settlement, as base64 of the JSON. */
export const PAYMENT_RESPONSE_HEADER = 'payment-response';
/** Key of the payment in `_meta` of a tool call. */
export const PAYMENT_META = 'x402/payment';
/** Key of the settlement in `_meta` of a tool result. */
export const PAYMENT_RESPONSE_META = 'x402/payment-response';

/** Service fee on a settled job, in basis points (specification section 8). */
export const FEE_BPS = 2000;

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const Bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const Uint = z.string().regex(/^(0|[1-9]\d{0,77})$/);

/**
 * Key of the x402 payment-identifier extension: an id chosen by the client. It is sent with a
 * payment but never reaches the chain. It therefore distinguishes the payer from someone who read
 * the signature on the chain. It belongs to one payment and one call.
 */
export const PAYMENT_IDENTIFIER_EXTENSION = 'payment-identifier';
/** A payment identifier: 16 to 128 letters, digits, hyphens and underscores. */
export const PaymentIdentifier = z.string().regex(/^[a-zA-Z0-9_-]{16,128}$/);
/**
 * Key of a challenge extension with a fresh secret. Clients return the extensions of a challenge,
 * so a client without a payment identifier can still retrieve its result again. It never identifies
 * a payment, because one challenge may be paid twice. `call` names the requested work: a payment
 * for one call is valid for others of the same name.
 */
export const REPEAT_KEY_EXTENSION = 'repeat-key';

/**
 * When money moves. `authorization`: verify, work, settle, deliver; without a result there is no
 * settlement. `upfront`: settle, then work; a server failure is refunded on chain.
 */
export const PaymentFlow = z.enum(['authorization', 'upfront']);
/** The flow of a payment. */
export type PaymentFlow = z.infer<typeof PaymentFlow>;

/** An offered way to pay. `amount` is in the asset's smallest unit, here micro-dollars. */
export const PaymentRequirements = z.looseObject({
  scheme: z.literal('exact'),
  network: z.string(),
  amount: MicroUsdText,
  asset: Address,
  payTo: Address,
  maxTimeoutSeconds: z.number().int().positive(),
  extra: z.record(z.string(), z.unknown()),
});
/** An offered way to pay. */
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** The payment challenge (x402 v2 `PaymentRequired`). */
export const PaymentRequired = z.looseObject({
  x402Version: z.literal(X402_VERSION),
  error: z.string(),
  resource: z.looseObject({ url: z.string(), description: z.string(), mimeType: z.string() }),
  accepts: z.array(PaymentRequirements),
  extensions: z.record(z.string(), z.unknown()).optional(),
});
/** The payment challenge. */
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** An EIP-3009 transfer authorization. Times are Unix seconds as text. */
export const Authorization = z.object({
  from: Address,
  to: Address,
  value: Uint,
  validAfter: Uint,
  validBefore: Uint,
  nonce: Bytes32,
});
/** An EIP-3009 transfer authorization. */
export type Authorization = z.infer<typeof Authorization>;

/** A presented payment (x402 v2 `PaymentPayload`, scheme `exact`, EIP-3009). */
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
/** A presented payment. */
export type PaymentPayload = z.infer<typeof PaymentPayload>;

/** Response to a settled or failed payment (x402 v2 `SettleResponse`). */
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
/** Response to a settled or failed payment. */
export type SettlementResponse = z.infer<typeof SettlementResponse>;
