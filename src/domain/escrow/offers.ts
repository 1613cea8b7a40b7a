import type { EscrowTerms } from '../chain/trust-chain.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { PaymentPayload, PaymentRequirements } from '../payment/payment.ts';
import type { ChainFacts, PaymentFailure } from '../payment/payment-chain.ts';
import { TRANSFER_TERMS } from '../wallet/transfer-terms.ts';
import type { TypedData } from '../wallet/typed-data.ts';

/** Maximum validity of an authorization in seconds; it must reach the chain in time. */
export const FUND_WITHIN_S = 300;

/**
 * Creates the payment requirements to fund a job. Deterministic, so that an echo can be compared.
 */
export function createFundingOffer(
  facts: ChainFacts,
  order: {
    readonly escrow: string;
    readonly jobId: string;
    readonly escrowKey: string;
    readonly terms: EscrowTerms;
    readonly feeBps: number;
  },
): PaymentRequirements {
  const { escrow, jobId, escrowKey, terms, feeBps } = order;
  const { buyer, provider, amount, fulfilByS } = terms;
  return {
    ...commonRequirements(facts, amount),
    payTo: escrow,
    extra: {
      ...createTokenExtra(facts, feeBps),
      jobId,
      escrowKey,
      provider,
      fulfilBy: fulfilByS,
      terms: { jobId: terms.jobId, buyer, provider, amount, fulfilBy: fulfilByS },
    },
  };
}

/** Creates the payment requirements to pay with the release. */
export function createReleaseOffer(
  facts: ChainFacts,
  order: {
    readonly jobId: string;
    readonly provider: string;
    readonly amount: MicroUsdText;
    readonly feeBps: number;
  },
): PaymentRequirements {
  const { jobId, provider, amount, feeBps } = order;
  return {
    ...commonRequirements(facts, amount),
    payTo: facts.treasury,
    extra: { ...createTokenExtra(facts, feeBps), jobId, provider },
  };
}

/**
 * Returns whether the nonce of an authorization is the job's key, so that its buyer signed the
 * terms.
 */
export function isBoundToTerms({ payload }: PaymentPayload, escrowKey: string): boolean {
  return payload.authorization.nonce.toLowerCase() === escrowKey.toLowerCase();
}

/** Returns the data to sign for an authorization that only the escrow can use. */
export function createReceiveRequest(facts: ChainFacts, payment: PaymentPayload): TypedData {
  return createAuthorizationRequest(facts, payment, 'ReceiveWithAuthorization');
}

/** Returns the data to sign for an authorization that anyone can submit: an ordinary payment. */
export function createTransferRequest(facts: ChainFacts, payment: PaymentPayload): TypedData {
  return createAuthorizationRequest(facts, payment, 'TransferWithAuthorization');
}

function createAuthorizationRequest(
  facts: ChainFacts,
  { payload }: PaymentPayload,
  primaryType: 'ReceiveWithAuthorization' | 'TransferWithAuthorization',
): TypedData {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  return {
    domain: {
      name: facts.tokenName,
      version: facts.tokenVersion,
      chainId: facts.chainId,
      verifyingContract: facts.token,
    },
    types: { [primaryType]: TRANSFER_TERMS },
    primaryType,
    message: { from, to, value, validAfter, validBefore, nonce },
  };
}

/** Checks an authorization without its signature. Returns the failure, if any. */
export function checkAuthorization(
  payload: PaymentPayload,
  offer: PaymentRequirements,
  nowS: number,
): PaymentFailure | undefined {
  const { accepted, payload: signed } = payload;
  const { to, value, validAfter, validBefore } = signed.authorization;
  if (accepted.network !== offer.network) {
    return createPaymentFailure('PAYMENT_WRONG_NETWORK', accepted.network, offer.network);
  }
  for (const [received, expected] of [
    [accepted.asset, offer.asset],
    [accepted.payTo, offer.payTo],
    [to, offer.payTo],
  ] as const) {
    if (received.toLowerCase() !== expected.toLowerCase()) {
      return createPaymentFailure('PAYMENT_WRONG_ASSET', received, expected);
    }
  }
  if (value !== offer.amount) {
    const code = BigInt(value) < BigInt(offer.amount) ? 'PAYMENT_UNDERPAID' : 'PAYMENT_MALFORMED';
    return createPaymentFailure(code, value, offer.amount);
  }
  const isOpen = BigInt(validAfter) < BigInt(nowS) && BigInt(nowS) < BigInt(validBefore);
  return isOpen
    ? undefined
    : createPaymentFailure('PAYMENT_EXPIRED', { validAfter, validBefore }, { now: nowS });
}

function commonRequirements(facts: ChainFacts, amount: MicroUsdText) {
  const { network, token: asset } = facts;
  return { scheme: 'exact' as const, network, amount, asset, maxTimeoutSeconds: FUND_WITHIN_S };
}

function createTokenExtra({ tokenName, tokenVersion }: ChainFacts, feeBps: number) {
  return { name: tokenName, version: tokenVersion, paymentFlow: 'upfront', feeBps };
}

function createPaymentFailure(
  code: PaymentFailure['code'],
  received: unknown,
  expected: unknown,
): PaymentFailure {
  return { code, message: MESSAGES[code] ?? code, data: { received, expected } };
}

const MESSAGES: Readonly<Record<string, string>> = {
  PAYMENT_WRONG_NETWORK: 'The payment is for a different network.',
  PAYMENT_WRONG_ASSET: 'The asset or the payee differs from the requested one.',
  PAYMENT_UNDERPAID: 'The amount is below the price.',
  PAYMENT_MALFORMED: 'The amount must equal the price.',
  PAYMENT_EXPIRED: 'The authorization has expired or is not valid yet.',
};
