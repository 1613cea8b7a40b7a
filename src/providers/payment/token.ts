import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import { type ChainRpc, type RpcRefusal, revertReason } from '../chain/chain-rpc.ts';
import { authorizationDigest } from '../chain/digest.ts';
import { classifyNodeError } from '../chain/node-error.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import type { TokenFacts } from './check-token.ts';
import { isKeySignature, isSignedByKey } from './local-check.ts';
import { TOKEN_ABI } from './token-abi.ts';

/** A client for a stablecoin contract. */
export interface Token {
  readonly address: Hex;
  readonly name: string;
  readonly version: string;
  /** Returns a balance at the latest block, or at the block with this number in hex. */
  balanceOf(owner: string, block?: string): Promise<bigint>;
  /** Returns whether the payer's own key signed. If not, only a contract wallet can have. */
  isByKey(signed: PaymentPayload['payload']): boolean;
  /** Returns whether the authorization is used or cancelled. */
  isSpent(payer: string, nonce: string): Promise<boolean>;
}

/** Creates the client of a token that was checked. */
export function createTokenClient(
  { rpc, token: address, chainId }: Pick<OpenChain, 'rpc' | 'token' | 'chainId'>,
  facts: TokenFacts,
): Token {
  const digest = authorizationDigest({ ...facts, chainId, token: address });
  return {
    address,
    ...facts,
    isByKey: (signed) => isSignedByKey(digest(signed.authorization), signed),
    balanceOf: (owner, block) =>
      readView<bigint>(rpc, address, { functionName: 'balanceOf', args: [owner], block }),
    isSpent: (payer, nonce) => {
      const args = [payer, nonce];
      return readView<boolean>(rpc, address, { functionName: 'authorizationState', args });
    },
  };
}

/** Encodes the settling call: with v, r and s for a key, with raw bytes for a contract wallet. */
export function encodeTransfer(
  signed: PaymentPayload['payload'],
  isByKey = isKeySignature(signed.signature),
): Hex {
  const { authorization: given, signature } = signed;
  const terms = [
    given.from as Hex,
    given.to as Hex,
    BigInt(given.value),
    BigInt(given.validAfter),
    BigInt(given.validBefore),
    given.nonce as Hex,
  ] as const;
  const functionName = 'transferWithAuthorization';
  if (!isByKey) {
    const args = [...terms, signature as Hex] as const;
    return encodeFunctionData({ abi: TOKEN_ABI, functionName, args });
  }
  // Sliced, not parsed: an invalid v must reach the contract and be rejected there.
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const s: Hex = `0x${signature.slice(66, 130)}`;
  const v = Number.parseInt(signature.slice(-2), 16);
  return encodeFunctionData({ abi: TOKEN_ABI, functionName, args: [...terms, v, r, s] });
}

/**
 * Converts the node's rejection of a settling call to a fault. It proves nothing about later: the
 * state changes, and another node may be ahead.
 */
export function toPaymentFault(refusal: RpcRefusal): PaymentFailure {
  const reason = revertReason(refusal, TOKEN_ABI);
  const meaning = classifyNodeError(refusal);
  if (meaning === 'unpaid') {
    const message = 'The operator cannot pay for gas now.';
    return { code: 'CHAIN_UNAVAILABLE', message, data: { reason } };
  }
  if (meaning !== 'reverted') {
    const message = 'The chain node returned an error.';
    return { code: 'CHAIN_UNAVAILABLE', message, data: { reason } };
  }
  const known = REVERT_REASONS.find(({ pattern }) => pattern.test(reason));
  return {
    code: known?.code ?? 'SETTLEMENT_FAILED',
    message: known?.message ?? 'The chain rejects the payment now.',
    data: { reason },
  };
}

/** Contract errors by name (OpenZeppelin) and by message (the public stablecoins). */
const REVERT_REASONS = [
  {
    pattern: /UsedAuthorization|used or canceled/i,
    code: 'PAYMENT_REPLAYED',
    message: 'The authorization was already spent.',
  },
  {
    pattern: /InsufficientBalance|exceeds balance/i,
    code: 'PAYMENT_FUNDS',
    message: "The payer's balance is too low for this amount.",
  },
  {
    pattern: /AuthorizationTime|is expired|not yet valid/i,
    code: 'PAYMENT_EXPIRED',
    message: 'The authorization has expired or is not valid yet.',
  },
  {
    pattern: /InvalidSignature|ECDSA|invalid signature/i,
    code: 'PAYMENT_FORGED',
    message: 'The signature is not from the payer.',
  },
] as const;

interface ViewCall {
  readonly functionName: ViewName;
  readonly args: readonly string[];
  /** Block number in hex, or a tag. */
  readonly block?: string | undefined;
}

async function readView<Result>(
  rpc: ChainRpc,
  to: Hex,
  { functionName, args, block = 'latest' }: ViewCall,
): Promise<Result> {
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName, args } as never);
  const answer = await rpc.ask<Hex>('eth_call', [{ to, data }, block]);
  if (answer.ok && answer.result !== '0x') {
    return decodeFunctionResult({ abi: TOKEN_ABI, functionName, data: answer.result }) as Result;
  }
  const isAnswered = answer.ok || classifyNodeError(answer.refusal) === 'reverted';
  throw new AppError(isAnswered ? 'CONFIG_INVALID' : 'CHAIN_UNAVAILABLE', {
    message: isAnswered ? 'The address has no such token.' : 'The chain node rejected a call.',
    data: { token: to, asked: functionName },
  });
}

type ViewName = 'balanceOf' | 'authorizationState';
