import type { ErrorCode } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PaymentPayload, PaymentRequirements } from '../../domain/payment/payment.ts';
import type { ChainFacts, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import {
  isWrappedSignature,
  WRAPPED_SIGNATURE_MESSAGE,
} from '../../domain/wallet/wrapped-signature.ts';
import { type AuthorizationDigest, authorizationDigest } from '../chain/digest.ts';
import { KEY_SIGNATURE_BYTES, recoverSigner } from '../chain/signature.ts';

/** Remaining validity that a settlement needs to get into a block, in seconds. */
export const SETTLE_MARGIN_S = 6;

/** Checks a payment against an offer at a time in milliseconds, without the chain. */
export type LocalCheck = (
  payload: PaymentPayload,
  offer: PaymentRequirements,
  now: number,
) => PaymentFailure | undefined;

type SignedAuthorization = PaymentPayload['payload'];

const UINT256_MAX = 2n ** 256n - 1n;

/**
 * Creates the check for one token. Cheap comparisons come first and the signature last, so the
 * fault names the first thing that is wrong. Signatures of other lengths than 65 bytes are left to
 * the chain. See {@link createContractCheck} for the rest.
 */
export function createLocalCheck(facts: ChainFacts): LocalCheck {
  const forgery = createForgeryCheck(facts);
  return (payload, offer, now) =>
    checkRange(payload) ??
    checkNetwork(payload, offer, facts) ??
    checkAsset(payload, offer, facts) ??
    checkAmount(payload, offer) ??
    checkTime(payload, Math.floor(now / SECOND_MS)) ??
    forgery(payload);
}

/**
 * Creates the check that also asks the payer's contract wallet about a signature that is not from
 * its key. The signature is checked last, so everything else is valid by then.
 */
export function createContractCheck(
  check: LocalCheck,
  isVouched: (signed: SignedAuthorization) => Promise<boolean>,
): (...presented: Parameters<LocalCheck>) => Promise<PaymentFailure | undefined> {
  return async (payload, offer, now) => {
    const found = check(payload, offer, now);
    if (found?.code !== 'PAYMENT_FORGED') return found;
    return (await isVouched(payload.payload)) ? undefined : found;
  };
}

/** Creates the check of numbers and signature only. Signatures of contract wallets pass. */
export function createForgeryCheck(
  facts: ChainFacts,
): (payload: PaymentPayload) => PaymentFailure | undefined {
  const digest = authorizationDigest({
    name: facts.tokenName,
    version: facts.tokenVersion,
    chainId: facts.chainId,
    token: facts.token,
  });
  return (payload) => checkRange(payload) ?? checkSignature(payload, digest);
}

/** Returns whether a signature has the length of a key's. A contract wallet's may have it too. */
export function isKeySignature(signature: string): boolean {
  return signature.length === 2 + 2 * KEY_SIGNATURE_BYTES;
}

/** Returns whether the payer's own key made a signature. If not, a contract wallet may have. */
export function isSignedByKey(
  digest: Uint8Array,
  { authorization: { from }, signature }: SignedAuthorization,
): boolean {
  const signer = recoverSigner(digest, signature);
  return signer !== undefined && isSameAddress(signer, from);
}

function checkRange({ payload: { authorization } }: PaymentPayload): PaymentFailure | undefined {
  for (const field of ['value', 'validAfter', 'validBefore'] as const) {
    if (BigInt(authorization[field]) > UINT256_MAX) {
      return createFault('PAYMENT_MALFORMED', 'An authorization number exceeds 256 bits.', {
        field,
      });
    }
  }
  return undefined;
}

function checkNetwork(
  { accepted }: PaymentPayload,
  offer: PaymentRequirements,
  facts: ChainFacts,
): PaymentFailure | undefined {
  if (accepted.network === offer.network && offer.network === facts.network) return undefined;
  return createFault('PAYMENT_WRONG_NETWORK', 'The payment is for a different network.', {
    received: accepted.network,
    expected: facts.network,
  });
}

function checkAsset(
  { accepted, payload: { authorization } }: PaymentPayload,
  offer: PaymentRequirements,
  facts: ChainFacts,
): PaymentFailure | undefined {
  const pairs = [
    { field: 'asset', received: accepted.asset, expected: offer.asset },
    { field: 'asset', received: accepted.asset, expected: facts.token },
    { field: 'payTo', received: accepted.payTo, expected: offer.payTo },
    { field: 'payTo', received: authorization.to, expected: offer.payTo },
  ];
  const wrong = pairs.find(({ received, expected }) => !isSameAddress(received, expected));
  if (wrong === undefined) return undefined;
  const what = wrong.field === 'asset' ? 'asset' : 'payee';
  return createFault('PAYMENT_WRONG_ASSET', `The payment is for a different ${what}.`, wrong);
}

function checkAmount(
  { accepted, payload: { authorization } }: PaymentPayload,
  offer: PaymentRequirements,
): PaymentFailure | undefined {
  const price = BigInt(offer.amount);
  const amounts = [BigInt(accepted.amount), BigInt(authorization.value)];
  const data = { received: authorization.value, expected: offer.amount };
  if (amounts.some((amount) => amount < price)) {
    return createFault('PAYMENT_UNDERPAID', 'The amount is below the price.', data);
  }
  if (amounts.every((amount) => amount === price)) return undefined;
  return createFault('PAYMENT_MALFORMED', 'The amount must be exactly the price, not more.', data);
}

function checkTime(
  { payload: { authorization } }: PaymentPayload,
  nowS: number,
): PaymentFailure | undefined {
  const { validAfter, validBefore } = authorization;
  const data = { validAfter, validBefore, now: String(nowS) };
  if (BigInt(validAfter) >= BigInt(nowS)) {
    return createFault('PAYMENT_EXPIRED', 'The authorization is not valid yet.', data);
  }
  if (BigInt(validBefore) < BigInt(nowS + SETTLE_MARGIN_S)) {
    return createFault('PAYMENT_EXPIRED', 'The authorization has expired or is about to.', data);
  }
  return undefined;
}

function checkSignature(
  { payload: { authorization, signature } }: PaymentPayload,
  digest: AuthorizationDigest,
): PaymentFailure | undefined {
  if (isWrappedSignature(signature)) {
    const data = { received: 'ERC-6492', allowed: ['key', 'ERC-1271'], payer: authorization.from };
    return createFault('PAYMENT_MALFORMED', WRAPPED_SIGNATURE_MESSAGE, data);
  }
  if (!isKeySignature(signature)) return undefined;
  if (isSignedByKey(digest(authorization), { authorization, signature })) return undefined;
  return createFault('PAYMENT_FORGED', 'The signature is not from the payer.', {
    payer: authorization.from,
  });
}

/** Compares addresses without regard to case. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function createFault(
  code: ErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>>,
): PaymentFailure {
  return { code, message, data };
}
