import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { encodeFunctionData, numberToHex, toHex } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { ChainRpc, RpcAnswer } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { OpenChain } from './open-chain.ts';
import { WALLET_ABI } from './trust/abi.ts';

/** Gas that a contract wallet may use to verify a signature. */
export const WALLET_GAS_MAX = 150_000n;
/** Most concurrent calls to contract wallets: anyone may name a wallet, and each costs a call. */
export const WALLET_CHECKS_MAX = 64;
/** Longest time for a contract wallet's answer, in milliseconds. */
export const WALLET_ANSWER_MS = 5_000;

/** The dependencies of calls to contract wallets. */
export type ContractWalletDeps = Pick<OpenChain, 'rpc' | 'accounts' | 'fees' | 'isLocal'>;

/** Returns whether the contract at an address confirms a signature of a digest (ERC-1271). */
export type WalletSignatureCheck = (
  wallet: string,
  digest: Uint8Array,
  signature: string,
) => Promise<boolean>;

/** The full 32-byte answer: a contract that echoes its input, as a precompile does, fails. */
const VALID_SIGNATURE = `0x1626ba7e${'00'.repeat(28)}`;
const HEX = /^0x([0-9a-fA-F]{2})*$/;

/**
 * Creates the signature check of contract wallets. A wallet that reverts, exceeds its gas, or is
 * not a contract has not signed.
 *
 * @throws {AppError} from the returned function: `CHAIN_UNAVAILABLE` when no answer arrives in
 *   time, `OVERLOADED`
 */
export function createWalletSignatureCheck(
  parts: ContractWalletDeps,
  answerMs = WALLET_ANSWER_MS,
): WalletSignatureCheck {
  let running = 0;
  return async (wallet, digest, signature) => {
    if (!HEX.test(signature)) return false;
    if (running >= WALLET_CHECKS_MAX) {
      throw new AppError('OVERLOADED', {
        message: 'Too many contract wallets are being checked. Retry later; you were not charged.',
        data: { received: running, allowed: WALLET_CHECKS_MAX },
      });
    }
    running += 1;
    const late = new AbortController();
    try {
      const question = askWallet(parts, { wallet, digest, signature });
      const patience = sleep(answerMs, undefined, { signal: late.signal }).then(() => {
        throw new AppError('CHAIN_UNAVAILABLE', {
          message: `The contract wallet did not answer within ${answerMs} ms.`,
          data: { wallet: wallet.toLowerCase() },
        });
      });
      return await Promise.race([question, patience]);
    } finally {
      running -= 1;
      late.abort();
    }
  };
}

async function askWallet(
  { rpc, accounts, fees, isLocal }: ContractWalletDeps,
  signed: { readonly wallet: string; readonly digest: Uint8Array; readonly signature: string },
): Promise<boolean> {
  const args = [toHex(signed.digest), signed.signature as Hex] as const;
  const data = encodeFunctionData({ abi: WALLET_ABI, functionName: 'isValidSignature', args });
  // Called in the context of the later transaction: a wallet may answer by the fee or the block.
  const call = {
    from: accounts.operator.address,
    to: signed.wallet,
    data,
    gas: numberToHex(WALLET_GAS_MAX),
    ...feeFields(await fees()),
  };
  const answer = await rpc.ask<Hex>('eth_call', [call, isLocal ? 'pending' : 'latest']);
  return answer.ok && answer.result.slice(0, VALID_SIGNATURE.length) === VALID_SIGNATURE;
}

/** A call of the operator that runs a party's code. */
export interface PartyCall {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  /** The fees of the later transaction: a party's code may depend on them. */
  readonly fees: Fees;
  /** The most gas that is paid for the call. */
  readonly gasMax: number;
}

/** Returns fees in the form of node calls. */
export function feeFields({ maxFeePerGas, maxPriorityFeePerGas }: Fees) {
  return {
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  };
}

/** Estimates the gas of a call that runs a party's code, up to the gas that is paid for. */
export function estimatePartyGas(
  rpc: ChainRpc,
  call: PartyCall,
  block: 'pending' | 'latest',
): Promise<RpcAnswer<Hex>> {
  const { fees, gasMax, ...plain } = call;
  const bounded = { ...plain, ...feeFields(fees), gas: numberToHex(gasMax) };
  return rpc.ask<Hex>('eth_estimateGas', [bounded, block]);
}

/** Returns the fault of a call that exceeds its gas, or `undefined` for any other error. */
export function gasLimitFault(message: string, gasMax: number): PaymentFailure | undefined {
  const [, allowance] = /gas required exceeds(?: allowance)?:? \(?(\d+)/i.exec(message) ?? [];
  // A lower allowance means that the operator cannot pay for gas, which is a different fault.
  const isOurs = allowance === String(gasMax);
  if (!isOurs) return undefined;
  const data = { allowed: String(gasMax), received: 'more' };
  return { code: 'GAS_LIMIT', message: `The call needs more than ${gasMax} gas.`, data };
}
