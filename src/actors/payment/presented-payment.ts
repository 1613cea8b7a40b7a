import { AppError } from '../../domain/common/error.ts';
import { hashJson, sha256Hex } from '../../domain/common/hash.ts';
import {
  type Authorization,
  PAYMENT_IDENTIFIER_EXTENSION,
  type PaymentFlow,
  PaymentIdentifier,
  PaymentPayload,
  type PaymentRequirements,
  REPEAT_KEY_EXTENSION,
  X402_VERSION,
} from '../../domain/payment/payment.ts';
import type { ClaimedPayment } from '../../domain/payment/payment-ids.ts';
import type { PresentedPayment } from '../../domain/tool/tool.ts';

/** Longest encoded payment that is parsed, in characters. */
export const PAYMENT_CHARS_MAX = 16_384;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The parts of a call that a payment is bound to. */
export interface BoundCall {
  readonly tool: string;
  /** Parsed arguments that change the work, with defaults filled in. */
  readonly args: unknown;
  /** All arguments, if there are more. Payments before version 2 are bound to these. */
  readonly legacyArgs?: unknown;
  readonly flow: PaymentFlow;
  readonly offer: PaymentRequirements;
}

/** A signed payment with the hash of the call that it is bound to. */
export interface BoundKey {
  readonly binding: string;
  readonly payload: PaymentPayload;
  /**
   * SHA-256 of a secret that only the payer holds: the payment identifier, or else the repeat key
   * of the challenge. `null` without both.
   */
  readonly identifierHash: string | null;
}

/** A presented payment with its key and its binding. */
export interface PaymentKey extends BoundKey {
  readonly paymentId: string;
  readonly argsHash: string;
  /** The claim on the payment identifier; `null` without one. */
  readonly claim: ClaimedPayment | null;
}

/**
 * Parses the only payment of a call.
 *
 * @throws {AppError} `PAYMENT_REQUIRED` for none, `PAYMENT_DUPLICATED` for more than one,
 *   `PAYMENT_MALFORMED` with the path.
 */
export function readPresented(payments: readonly PresentedPayment[]): PaymentPayload {
  const [payment] = payments;
  if (payment === undefined) throw new AppError('PAYMENT_REQUIRED');
  if (payments.length > 1) {
    throw new AppError('PAYMENT_DUPLICATED', { data: { received: payments.length, allowed: 1 } });
  }
  const raw = payment.carrier === 'header' ? decodeHeader(payment.value) : payment.value;
  const parsed = PaymentPayload.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new AppError('PAYMENT_MALFORMED', {
    message: `The payment is invalid at "${path}": ${issue?.message ?? 'unreadable'}`,
    data: { path, allowed: `x402 version ${X402_VERSION}, scheme exact, EIP-3009` },
  });
}

/**
 * Derives the key of a payment and binds it to the call. Upper and lower case hex give one key.
 *
 * @throws {AppError} `PAYMENT_MALFORMED` if the payment identifier is invalid.
 */
export function derivePaymentKey(payload: PaymentPayload, call: BoundCall): PaymentKey {
  const { authorization } = payload.payload;
  const { network, amount } = call.offer;
  const argsHash = hashJson(call.args);
  const { tool, flow } = call;
  const paymentId = derivePaymentId(call.offer, authorization);
  const binding = hashJson({ tool, argsHash, amount, network, flow });
  const id = readIdentifier(payload);
  return {
    paymentId,
    binding,
    argsHash,
    payload,
    identifierHash: hashOrNull(id ?? readRepeatKey(payload)),
    claim:
      id === undefined
        ? null
        : {
            payer: authorization.from.toLowerCase(),
            identifierHash: sha256Hex(id),
            paymentId,
            fingerprint: hashJson([binding, signedTerms(payload), acceptedTerms(payload)]),
          },
  };
}

/** Derives the id of a payment from its authorization, whose nonce can be spent once. */
export function derivePaymentId(
  { network, asset }: Pick<PaymentRequirements, 'network' | 'asset'>,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): string {
  const parts = [network, asset, from, nonce].map((part) => part.toLowerCase());
  return `pay_${hashJson(parts)}`;
}

/** Returns whether two presentations have the same terms and signature. */
export function isSamePayment(one: PaymentPayload, other: PaymentPayload): boolean {
  return hashJson(signedTerms(one)) === hashJson(signedTerms(other));
}

function signedTerms({ payload: { authorization, signature } }: PaymentPayload) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const terms = [from, to, value, validAfter, validBefore, nonce, signature];
  return terms.map((term) => term.toLowerCase());
}

function acceptedTerms({ accepted }: PaymentPayload) {
  const { scheme, network, asset, payTo, amount, maxTimeoutSeconds } = accepted;
  return [scheme, network, asset.toLowerCase(), payTo.toLowerCase(), amount, maxTimeoutSeconds];
}

/** An extension without an id echoes a server that merely announces support for identifiers. */
function readIdentifier({ extensions }: PaymentPayload): string | undefined {
  const { id } = readExtensionInfo(extensions?.[PAYMENT_IDENTIFIER_EXTENSION]);
  if (id === undefined) return undefined;
  const parsed = PaymentIdentifier.safeParse(id);
  if (parsed.success) return parsed.data;
  throw new AppError('PAYMENT_MALFORMED', {
    message: 'A payment identifier has 16 to 128 letters, digits, hyphens, and underscores.',
    data: { path: `extensions.${PAYMENT_IDENTIFIER_EXTENSION}.info.id` },
  });
}

/**
 * Returns the repeat key that the client echoed from the challenge; `undefined` if it is invalid.
 */
function readRepeatKey({ extensions }: PaymentPayload): string | undefined {
  const { key } = readExtensionInfo(extensions?.[REPEAT_KEY_EXTENSION]);
  return PaymentIdentifier.safeParse(key).data;
}

function readExtensionInfo(extension: unknown): Readonly<Record<string, unknown>> {
  return Object(Object(extension).info);
}

/** Only the hash is stored. */
function hashOrNull(secret: string | undefined): string | null {
  return secret === undefined ? null : sha256Hex(secret);
}

function decodeHeader(value: string): unknown {
  if (value.length > PAYMENT_CHARS_MAX) {
    throw new AppError('PAYMENT_MALFORMED', {
      data: { received: value.length, allowed: PAYMENT_CHARS_MAX },
    });
  }
  try {
    // Node's decoder skips characters that are not base64, so two decoders could read two payments.
    if (!BASE64.test(value)) throw new AppError('PAYMENT_MALFORMED');
    return JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
  } catch (cause) {
    throw new AppError('PAYMENT_MALFORMED', {
      message: 'The payment header is not base64-encoded JSON.',
      cause,
    });
  }
}
