import type { ErrorCode } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PaymentPayload, PaymentRequirements } from '../../domain/payment/payment.ts';
import type { ChainFacts, PaymentFault } from '../../domain/payment/payment-chain.ts';
import { isWrappedSignature, WRAPPED_REASON } from '../../domain/wallet/wrapped-signature.ts';
import { type AuthorizationDigest, authorizationDigest } from '../chain/digest.ts';
import { KEY_SIGNATURE_BYTES, recoverSigner } from '../chain/signature.ts';

/** Remaining validity that a settlement needs to get into a block, in seconds. */
export const SETTLE_MARGIN_S = 6;

/** Checks a payment against an offer at a time in milliseconds, without the chain. */
export type LocalCheck = (
  payload: PaymentPayload,
  offer: PaymentRequirements,
  now: number,
) => PaymentFault | undefined;

type SignedAuthorization = PaymentPayload['payload'];

const UINT256_MAX = 2n ** 256n - 1n;

/**
 * Creates the check for one token. Cheap comparisons come first and the signature last, so the
 * fault names the first thing that is wrong. Signatures of other lengths than 65 bytes are left to
 * the chain. See {@link contractCheck} for the rest.
 */
export function localCheck(facts: ChainFacts): LocalCheck {
  const forgery = forgeryCheck(facts);
  return (payload, offer, now) =>
    rangeFault(payload) ??
    networkFault(payload, offer, facts) ??
    assetFault(payload, offer, facts) ??
    amountFault(payload, offer) ??
    timeFault(payload, Math.floor(now / SECOND_MS)) ??
    forgery(payload);
}

/**
 * Creates the check that also asks the payer's contract wallet about a signature that is not from
 * its key. The signature is checked last, so everything else is valid by then.
 */
export function contractCheck(
  check: LocalCheck,
  isVouched: (signed: SignedAuthorization) => Promise<boolean>,
): (...presented: Parameters<LocalCheck>) => Promise<PaymentFault | undefined> {
  return async (payload, offer, now) => {
    const found = check(payload, offer, now);
    if (found?.code !== 'PAYMENT_FORGED') return found;
    return (await isVouched(payload.payload)) ? undefined : found;
  };
}

/** Creates the check of numbers and signature only. Signatures of contract wallets pass. */
export function forgeryCheck(
  facts: ChainFacts,
): (payload: PaymentPayload) => PaymentFault | undefined {
  const digest = authorizationDigest({
    name: facts.tokenName,
    version: facts.tokenVersion,
    chainId: facts.chainId,
    token: facts.token,
  });
  return (payload) => rangeFault(payload) ?? signatureFault(payload, digest);
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

function rangeFault({ payload: { authorization } }: PaymentPayload): PaymentFault | undefined {
  for (const field of ['value', 'validAfter', 'validBefore'] as const) {
    if (BigInt(authorization[field]) > UINT256_MAX) {
      return fault('PAYMENT_MALFORMED', 'An authorization number exceeds 256 bits.', {
        field,
      });
    }
  }
  return undefined;
}

function networkFault(
  { accepted }: PaymentPayload,
  offer: PaymentRequirements,
  facts: ChainFacts,
): PaymentFault | undefined {
  if (accepted.network === offer.network && offer.network === facts.network) return undefined;
  return fault('PAYMENT_WRONG_NETWORK', 'The payment is for a different network.', {
    received: accepted.network,
    expected: facts.network,
  });
}

function assetFault(
  { accepted, payload: { authorization } }: PaymentPayload,
  offer: PaymentRequirements,
  facts: ChainFacts,
): PaymentFault | undefined {
  const pairs = [
    { field: 'asset', received: accepted.asset, expected: offer.asset },
    { field: 'asset', received: accepted.asset, expected: facts.token },
    { field: 'payTo', received: accepted.payTo, expected: offer.payTo },
    { field: 'payTo', received: authorization.to, expected: offer.payTo },
  ];
  const wrong = pairs.find(({ received, expected }) => !isSameAddress(received, expected));
  if (wrong === undefined) return undefined;
  const what = wrong.field === 'asset' ? 'asset' : 'payee';
  return fault('PAYMENT_WRONG_ASSET', `The payment is for a different ${what}.`, wrong);
}

function amountFault(
  { accepted, payload: { authorization } }: PaymentPayload,
  offer: PaymentRequirements,
): PaymentFault | undefined {
  const price = BigInt(offer.amount);
  const amounts = [BigInt(accepted.amount), BigInt(authorization.value)];
  const data = { received: authorization.value, expected: offer.amount };
  if (amounts.some((amount) => amount < price)) {
    return fault('PAYMENT_UNDERPAID', 'The amount is below the price.', data);
  }
  if (amounts.every((amount) => amount === price)) return undefined;
  return fault('PAYMENT_MALFORMED', 'The amount must be exactly the price, not more.', data);
}

function timeFault(
  { payload: { authorization } }: PaymentPayload,
  nowS: number,
): PaymentFault | undefined {
  const { validAfter, validBefore } = authorization;
  const data = { validAfter, validBefore, now: String(nowS) };
  if (BigInt(validAfter) >= BigInt(nowS)) {
    return fault('PAYMENT_EXPIRED', 'The authorization is not valid yet.', data);
  }
  if (BigInt(validBefore) < BigInt(nowS + SETTLE_MARGIN_S)) {
    return fault('PAYMENT_EXPIRED', 'The authorization has expired or is about to.', data);
  }
  return undefined;
}

function signatureFault(
  { payload: { authorization, signature } }: PaymentPayload,
  digest: AuthorizationDigest,
): PaymentFault | undefined {
  if (isWrappedSignature(signature)) {
    const data = { received: 'ERC-6492', allowed: ['key', 'ERC-1271'], payer: authorization.from };
    return fault('PAYMENT_MALFORMED', WRAPPED_REASON, data);
  }
  if (!isKeySignature(signature)) return undefined;
  if (isSignedByKey(digest(authorization), { authorization, signature })) return undefined;
  return fault('PAYMENT_FORGED', 'The signature is not from the payer.', {
    payer: authorization.from,
  });
}

/** Compares addresses without regard to case. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function fault(
  code: ErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>>,
): PaymentFault {
  return { code, message, data };
}
