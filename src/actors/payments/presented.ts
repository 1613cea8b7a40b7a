import { AppError } from '../../domain/error.ts';
import { hashJson, sha256Hex } from '../../domain/hash.ts';
import {
  PAYMENT_IDENTIFIER_EXTENSION,
  type PaymentFlow,
  PaymentIdentifier,
  PaymentPayload,
  type PaymentRequirements,
  X402_VERSION,
} from '../../domain/payment.ts';
import type { PresentedPayment } from '../../domain/tool.ts';

/** Longest payment that is read, in characters of its carrier. */
export const PAYMENT_CHARS_MAX = 16_384;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What a payment is for: the part of a call that its key is bound to. */
export interface BoundCall {
  readonly tool: string;
  /** Parsed arguments, with defaults filled in. */
  readonly args: unknown;
  readonly flow: PaymentFlow;
  readonly offer: PaymentRequirements;
}

/** A signed payment and the hash of what it is good for. */
export interface BoundKey {
  readonly binding: string;
  readonly payload: PaymentPayload;
  /** SHA-256 of the payment identifier that came with it; `null` without one. */
  readonly identifierHash: string | null;
}

/** A presented payment with its key and what it is bound to. */
export interface PaymentKey extends BoundKey {
  readonly paymentId: string;
  readonly argsHash: string;
}

/**
 * Reads the one payment of a call.
 *
 * @throws {AppError} `PAYMENT_DUPLICATED` for more than one, `PAYMENT_MALFORMED` with the path.
 */
export function readPresented(payments: readonly PresentedPayment[]): PaymentPayload {
  const [payment] = payments;
  if (payment === undefined) throw new AppError('PAYMENT_REQUIRED');
  if (payments.length > 1) {
    throw new AppError('PAYMENT_DUPLICATED', { data: { received: payments.length, allowed: 1 } });
  }
  const raw = payment.carrier === 'header' ? decode(payment.value) : payment.value;
  const parsed = PaymentPayload.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new AppError('PAYMENT_MALFORMED', {
    message: `The payment cannot be read at "${path}": ${issue?.message ?? 'unreadable'}`,
    data: { path, allowed: `x402 version ${X402_VERSION}, scheme exact, EIP-3009` },
  });
}

/** Gives a payment its key, and binds the key to the call. Any spelling of the hex is one key. */
export function paymentKey(payload: PaymentPayload, call: BoundCall): PaymentKey {
  const { from, nonce } = payload.payload.authorization;
  const { network, asset, amount } = call.offer;
  const parts = [network, asset, from, nonce].map((part) => part.toLowerCase());
  const argsHash = hashJson(call.args);
  const { tool, flow } = call;
  return {
    paymentId: `pay_${hashJson(parts)}`,
    binding: hashJson({ tool, argsHash, amount, network, flow }),
    argsHash,
    payload,
    identifierHash: identifierHash(payload),
  };
}

/**
 * Only the hash is kept. An extension without an id is an echo of a server that suggested none.
 *
 * @throws {AppError} `PAYMENT_MALFORMED` when there is an id of another form.
 */
function identifierHash({ extensions }: PaymentPayload): string | null {
  const { info } = Object(extensions?.[PAYMENT_IDENTIFIER_EXTENSION]);
  const { id } = Object(info);
  if (id === undefined) return null;
  const parsed = PaymentIdentifier.safeParse(id);
  if (parsed.success) return sha256Hex(parsed.data);
  throw new AppError('PAYMENT_MALFORMED', {
    message: 'A payment identifier is 16 to 128 letters, digits, hyphens and underscores.',
    data: { path: `extensions.${PAYMENT_IDENTIFIER_EXTENSION}.info.id` },
  });
}

/** Tells whether two presentations carry the same signature, so that one shows nothing new. */
export function isSameSignature(one: PaymentPayload, other: PaymentPayload): boolean {
  return one.payload.signature.toLowerCase() === other.payload.signature.toLowerCase();
}

function decode(value: string): unknown {
  if (value.length > PAYMENT_CHARS_MAX) {
    throw new AppError('PAYMENT_MALFORMED', {
      data: { received: value.length, allowed: PAYMENT_CHARS_MAX },
    });
  }
  try {
    // Node's decoder skips what is not base64: a header could be read in two ways.
    if (!BASE64.test(value)) throw new AppError('PAYMENT_MALFORMED');
    return JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
  } catch (cause) {
    throw new AppError('PAYMENT_MALFORMED', {
      message: 'The payment header is not base64 of JSON.',
      cause,
    });
  }
}
