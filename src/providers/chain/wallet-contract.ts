import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { encodeFunctionData, numberToHex, toHex } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import type { PaymentFault } from '../../domain/payment/payment-chain.ts';
import type { ChainRpc, RpcAnswer } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { OpenChain } from './local/local-chain.ts';
import { WALLET_ABI } from './trust/abi.ts';

/** Gas that a wallet contract may use to tell whether it signed. */
export const WALLET_GAS_MAX = 150_000n;
/** Wallet contracts that are asked at one time; anyone may name one, and each costs a question. */
export const WALLETS_ASKED_MAX = 64;
/** How long a wallet contract may take to answer, in milliseconds. */
export const WALLET_ANSWER_MS = 5_000;

/** What wallet contracts are asked through. */
export type WalletParts = Pick<OpenChain, 'rpc' | 'accounts' | 'fees' | 'isLocal'>;

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
export function contractSigned(parts: WalletParts, answerMs = WALLET_ANSWER_MS): ContractSigned {
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
      const question = ask(parts, { wallet, digest, signature });
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
  { rpc, accounts, fees, isLocal }: WalletParts,
  signed: { readonly wallet: string; readonly digest: Uint8Array; readonly signature: string },
): Promise<boolean> {
  const args = [toHex(signed.digest), signed.signature as Hex] as const;
  const data = encodeFunctionData({ abi: WALLET_ABI, functionName: 'isValidSignature', args });
  // Asked as the transaction will meet it: a wallet may answer by the fee or by the block.
  const call = {
    ...{ from: accounts.operator.address, to: signed.wallet, data },
    ...{ gas: numberToHex(WALLET_GAS_MAX), ...feeFields(await fees()) },
  };
  const answer = await rpc.ask<Hex>('eth_call', [call, isLocal ? 'pending' : 'latest']);
  return answer.ok && answer.result.slice(0, VALID_SIGNATURE.length) === VALID_SIGNATURE;
}

/** A call of ours that runs code of a party. */
export interface PartyCall {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  /** The fees that it will be sent with: code of a party may behave by them. */
  readonly fees: Fees;
  /** What is paid for it at the most. */
  readonly gasMax: number;
}

/** Fees as a call of a node is given them. */
export function feeFields({ maxFeePerGas, maxPriorityFeePerGas }: Fees) {
  return {
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  };
}

/** Estimates the gas of a call that runs code of a party, up to what is paid for it. */
export function estimatePartyGas(
  rpc: ChainRpc,
  call: PartyCall,
  block: 'pending' | 'latest',
): Promise<RpcAnswer<Hex>> {
  const { fees, gasMax, ...plain } = call;
  const bounded = { ...plain, ...feeFields(fees), gas: numberToHex(gasMax) };
  return rpc.ask<Hex>('eth_estimateGas', [bounded, block]);
}

/** The fault of a call that did not get by with that gas; `undefined` for any other refusal. */
export function gasLimitFault(message: string, gasMax: number): PaymentFault | undefined {
  const [, allowance] = /gas required exceeds(?: allowance)?:? \(?(\d+)/i.exec(message) ?? [];
  // With less than that the operator has no money for gas: another fault.
  const isOurs = allowance === String(gasMax);
  if (!isOurs) return undefined;
  const data = { allowed: String(gasMax), received: 'more' };
  return { code: 'GAS_LIMIT', message: `The call needs more than ${gasMax} gas.`, data };
}
