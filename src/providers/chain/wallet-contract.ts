import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { encodeFunctionData, numberToHex, toHex } from 'viem/utils';
import { AppError } from '../../domain/error.ts';
import type { PaymentFault } from '../../domain/ports/payment-chain.ts';
import type { ChainRpc, RpcAnswer } from './chain-rpc.ts';
import { WALLET_ABI } from './trust/abi.ts';

/** Gas that a wallet contract may use to tell whether it signed. */
export const WALLET_GAS_MAX = 1_000_000n;
/** Gas of a call of ours that runs code of a party: more is not paid for it. */
export const PARTY_GAS_MAX = 2_000_000n;
/** Wallet contracts that are asked at one time; anyone may name one, and each costs a question. */
export const WALLETS_ASKED_MAX = 64;
/** How long a wallet contract may take to answer, in milliseconds. */
export const WALLET_ANSWER_MS = 5_000;

/** Tells whether the contract at an address takes a signature of a digest as its own (ERC-1271). */
export type ContractSigned = (
  wallet: string,
  digest: Uint8Array,
  signature: string,
) => Promise<boolean>;

/**
 * The whole word: a contract that echoes what it is asked, as a precompile does, has not agreed.
 */
const VALID_SIGNATURE = `0x1626ba7e${'00'.repeat(28)}`;
const HEX = /^0x([0-9a-fA-F]{2})*$/;

/**
 * Makes the question to wallet contracts. One that reverts, uses more gas than it may, or is no
 * contract has not signed.
 *
 * @throws {AppError} through the answer: `CHAIN_UNAVAILABLE` when none came in time, `OVERLOADED`
 */
export function contractSigned(rpc: ChainRpc, answerMs = WALLET_ANSWER_MS): ContractSigned {
  let asked = 0;
  return async (wallet, digest, signature) => {
    if (!HEX.test(signature)) return false;
    if (asked >= WALLETS_ASKED_MAX) {
      throw new AppError('OVERLOADED', {
        message: 'Too many wallet contracts are being asked; nothing was taken.',
        data: { received: asked, allowed: WALLETS_ASKED_MAX },
      });
    }
    asked += 1;
    const late = new AbortController();
    try {
      const question = ask(rpc, { wallet, digest, signature });
      const patience = sleep(answerMs, undefined, { signal: late.signal }).then(() => {
        throw new AppError('CHAIN_UNAVAILABLE', {
          message: `The wallet contract did not answer within ${answerMs} ms.`,
          data: { wallet: wallet.toLowerCase() },
        });
      });
      return await Promise.race([question, patience]);
    } finally {
      asked -= 1;
      late.abort();
    }
  };
}

async function ask(
  rpc: ChainRpc,
  signed: { readonly wallet: string; readonly digest: Uint8Array; readonly signature: string },
): Promise<boolean> {
  const args = [toHex(signed.digest), signed.signature as Hex] as const;
  const data = encodeFunctionData({ abi: WALLET_ABI, functionName: 'isValidSignature', args });
  const call = { to: signed.wallet, data, gas: numberToHex(WALLET_GAS_MAX) };
  const answer = await rpc.ask<Hex>('eth_call', [call, 'latest']);
  return answer.ok && answer.result.slice(0, VALID_SIGNATURE.length) === VALID_SIGNATURE;
}

/** A call of ours that runs code of a party. */
export interface PartyCall {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
}

/** Estimates the gas of a call that runs code of a party, up to what is paid for it. */
export function estimatePartyGas(
  rpc: ChainRpc,
  call: PartyCall,
  block: 'pending' | 'latest',
): Promise<RpcAnswer<Hex>> {
  const bounded = { ...call, gas: numberToHex(PARTY_GAS_MAX) };
  return rpc.ask<Hex>('eth_estimateGas', [bounded, block]);
}

/** The fault of a call that did not get by with that gas; `undefined` for any other refusal. */
export function gasLimitFault(message: string): PaymentFault | undefined {
  const [, allowance] = /gas required exceeds(?: allowance)?:? \(?(\d+)/i.exec(message) ?? [];
  // With less than that the operator has no money for gas: another fault.
  const isOurs = allowance === String(PARTY_GAS_MAX);
  if (!isOurs) return undefined;
  const data = { allowed: String(PARTY_GAS_MAX), received: 'more' };
  return { code: 'GAS_LIMIT', message: `The call needs more than ${PARTY_GAS_MAX} gas.`, data };
}
