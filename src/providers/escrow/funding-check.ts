import type { EscrowTerms } from '../../domain/chain/trust-chain.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { ChainFacts, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import {
  isWrappedSignature,
  WRAPPED_SIGNATURE_MESSAGE,
} from '../../domain/wallet/wrapped-signature.ts';
import { authorizationDigest } from '../chain/digest.ts';
import { recoverSigner } from '../chain/signature.ts';
import type { WalletSignatureCheck } from '../chain/wallet-contract.ts';
import { isSameAddress } from '../payment/local-check.ts';

/** Funding of a job, as authorized by its buyer. */
export interface FundingOrder {
  readonly terms: EscrowTerms;
  readonly authorization: Authorization;
  readonly signature: string;
  readonly form: 'terms' | 'exact';
}

/** Checks an order. The chain is called only if the signature is not from the payer's key. */
export type FundingCheck = (
  order: FundingOrder,
  key: string,
) => Promise<PaymentFailure | undefined>;

const UINT256_MAX = 2n ** 256n - 1n;

/**
 * Creates the check that an authorization is for a job. It checks payer, payee and amount, in the
 * form `terms` also the nonce, and the signature of the payer's key or contract wallet.
 */
export function createFundingCheck(
  facts: ChainFacts,
  escrow: string,
  hasSigned: WalletSignatureCheck,
): FundingCheck {
  const domain = {
    name: facts.tokenName,
    version: facts.tokenVersion,
    chainId: facts.chainId,
    token: facts.token,
  };
  const digests = {
    exact: authorizationDigest(domain, 'transfer'),
    terms: authorizationDigest(domain, 'receive'),
  };
  return async (order, key) => {
    const { authorization, form, signature } = order;
    const mismatch = findMismatch(order, escrow, key);
    if (mismatch !== undefined) return mismatch;
    if (isWrappedSignature(signature)) {
      const data = {
        received: 'ERC-6492',
        allowed: ['key', 'ERC-1271'],
        payer: authorization.from,
      };
      return { code: 'PAYMENT_MALFORMED', message: WRAPPED_SIGNATURE_MESSAGE, data };
    }
    const digest = digests[form](authorization);
    const signer = recoverSigner(digest, signature);
    if (signer !== undefined && isSameAddress(signer, authorization.from)) return undefined;
    if (await hasSigned(authorization.from, digest, signature)) return undefined;
    return {
      code: 'PAYMENT_FORGED',
      message: 'The signature is not from the payer.',
      data: { payer: authorization.from, form },
    };
  };
}

function findMismatch(
  { terms, authorization, form }: FundingOrder,
  escrow: string,
  key: string,
): PaymentFailure | undefined {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  if ([value, validAfter, validBefore].some((number) => BigInt(number) > UINT256_MAX)) {
    return { code: 'PAYMENT_MALFORMED', message: 'An authorization number exceeds 256 bits.' };
  }
  if (!isSameAddress(from, terms.buyer)) {
    const data = { received: from, expected: terms.buyer };
    return { code: 'PAYMENT_FORGED', message: 'The payer is not the buyer of the job.', data };
  }
  if (!isSameAddress(to, escrow)) {
    const data = { field: 'payTo', received: to, expected: escrow };
    return { code: 'PAYMENT_WRONG_ASSET', message: 'The payment is for a different payee.', data };
  }
  if (BigInt(value) !== BigInt(terms.amount)) {
    const data = { received: value, expected: terms.amount };
    return BigInt(value) < BigInt(terms.amount)
      ? { code: 'PAYMENT_UNDERPAID', message: 'The amount is below the price.', data }
      : { code: 'PAYMENT_MALFORMED', message: 'The amount must be exactly the price.', data };
  }
  if (form === 'exact' || isSameAddress(nonce, key)) return undefined;
  const data = { received: nonce, expected: key };
  return { code: 'PAYMENT_MALFORMED', message: 'The nonce must be the key of the job.', data };
}
