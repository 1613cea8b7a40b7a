import type { Hex } from 'viem';
import { decodeErrorResult } from 'viem/utils';
import { toAppError } from '../../../domain/common/error.ts';
import type { PaymentFailure } from '../../../domain/payment/payment-chain.ts';
import { awaitConfirmed, hasSucceeded, type Receipt, toGasResult } from '../../payment/receipts.ts';
import { toPaymentFault } from '../../payment/token.ts';
import type { RpcRefusal } from '../chain-rpc.ts';
import { findEarlier } from '../earlier-transaction.ts';
import { fillGap } from '../fill-gap.ts';
import { toFinalTransaction } from '../finality.ts';
import { askUntilConsistent, askWithRetries, classifyNodeError } from '../node-error.ts';
import type { OpenChain } from '../open-chain.ts';
import { replaceStuckAndCharge } from '../replace-stuck.ts';
import { estimatePartyGas, gasLimitFault } from '../wallet-contract.ts';
import { ANCHOR_ABI, ESCROW_ABI, IDENTITY_ABI, REPUTATION_ABI } from './abi.ts';
import { toContractFault } from './contract-fault.ts';
import { gasBudget } from './gas-budgets.ts';
import type { GasOrder } from './gas-ledger.ts';

/** A contract call for the operator to send. */
export interface ContractCall {
  readonly to: Hex;
  readonly data: Hex;
  /** Identifies the call in the journal. What a name has done is not done again. */
  readonly name: string;
  /** The purpose and the requester of the gas, which select the budget. */
  readonly gasFor: GasAccount;
  /** Allows another call under this name after one is done. A pending one is awaited. */
  readonly isRepeatable?: boolean;
}

/** The gas budget that pays for a call. */
export type GasAccount = Pick<GasOrder, 'purpose' | 'wallet' | 'job'>;

/** The outcome of a call. */
export type CallResult =
  | {
      readonly state: 'done';
      readonly transaction: Hex;
      readonly block: number;
      /** `null` if the node has pruned it. */
      readonly receipt: Receipt | null;
      /** Id of the agent that it registered, from the archive. */
      readonly agentId?: string | undefined;
    }
  | {
      readonly state: 'refused';
      readonly fault: PaymentFailure;
      /** Name of the contract's error, if it gave one. */
      readonly reason: string | undefined;
    }
  | { readonly state: 'unknown'; readonly transaction: string | null; readonly detail: string };

/** A transaction that is in a block but reverted. */
interface Reverted {
  readonly state: 'reverted';
  readonly transaction: Hex;
  readonly block: Hex;
}

/** A sender of operator calls. It executes each name at most once. */
export interface ContractCaller {
  /**
   * Sends a call, or returns the outcome of an earlier one.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE` when nothing was sent because no node answers
   */
  call(order: ContractCall): Promise<CallResult>;
  /** Returns the stored outcome of a name. @throws {AppError} `CHAIN_UNAVAILABLE` */
  find(name: string): Promise<CallResult | undefined>;
}

/** Margin above the estimate: states change between estimate and block. */
const GAS_FACTOR = 1.3;
/** How often to ask for the reason of a revert. */
const EXPLAIN_TRIES = 3;
/** The gas result of a transaction that was not sent. */
const UNSENT = { gas: 0, wei: 0n, end: 'spent' } as const;
const ERRORS_ABI = [...ESCROW_ABI, ...IDENTITY_ABI, ...REPUTATION_ABI, ...ANCHOR_ABI].filter(
  ({ type }) => type === 'error',
);

/** Creates the caller of a chain. Concurrent calls with the same name share one transaction. */
export function createContractCaller(chain: OpenChain): ContractCaller {
  const running = new Map<string, Promise<CallResult>>();
  return {
    find: async (name) => (await findRecent(chain, name)) ?? findArchived(chain, name),
    call: (order) => {
      const shared = running.get(order.name);
      if (shared !== undefined) return shared;
      const outcome = executeCall(chain, order).finally(() => running.delete(order.name));
      running.set(order.name, outcome);
      return outcome;
    },
  };
}

async function executeCall(chain: OpenChain, order: ContractCall): Promise<CallResult> {
  const before = await findRecent(chain, order.name, order.isRepeatable);
  if (before !== undefined) return before;
  const { to, data, name, gasFor } = order;
  const from = chain.accounts.operator.address;
  const fees = await chain.fees();
  const { gasPerCall } = gasBudget(gasFor.purpose);
  const call = { from, to, data, fees, gasMax: gasPerCall };
  // An embedded node has one state. Remote nodes may lag behind each other.
  const ask = () => estimatePartyGas(chain.rpc, call, 'pending');
  const estimate = await (chain.isLocal ? askWithRetries(ask) : askUntilConsistent(ask));
  if (!estimate.ok) return toEstimateFailure(estimate.refusal, gasPerCall);
  const gas = Math.min(gasPerCall, Math.ceil(Number(estimate.result) * GAS_FACTOR));
  const wei = BigInt(gas) * fees.maxFeePerGas;
  // From here on the budget is charged, whatever the answer.
  const fault = chain.gas.hold({ ...gasFor, name, gas, wei });
  if (fault !== undefined) return { state: 'refused', fault, reason: undefined };
  const sent = await chain.relayer.send({ to, data, gas: BigInt(gas), key: name });
  switch (sent.state) {
    case 'unsent':
      chain.gas.settle(name, UNSENT);
      return unknownOutcome(null, sent.detail);
    case 'unknown':
      return unknownOutcome(sent.hash, sent.detail);
    case 'sent':
      return awaitSent(chain, order, sent.hash);
  }
}

/** Returns the outcome of recent transactions of a name, or `undefined` if none can take effect. */
async function findRecent(
  chain: OpenChain,
  name: string,
  isRepeatable = false,
): Promise<CallResult | undefined> {
  const earlier = await findEarlier(chain, name, isRepeatable);
  if (earlier.state === 'none') return undefined;
  const outcome = await awaitOutcome(chain, name, earlier.row.hash as Hex);
  return outcome.state === 'reverted' ? undefined : outcome;
}

async function findArchived({ archive }: OpenChain, name: string): Promise<CallResult | undefined> {
  const found = await archive?.find(name, (row) => row.ok && row.key === name);
  if (found === undefined) return undefined;
  const { hash, block, agentId } = found;
  return { state: 'done', transaction: hash, block, receipt: null, agentId };
}

async function awaitOutcome(
  chain: OpenChain,
  name: string,
  hash: Hex,
): Promise<Exclude<CallResult, { readonly state: 'refused' }> | Reverted> {
  const { rpc, patience, confirmations, relayer } = chain;
  try {
    const receipt = await awaitConfirmed(rpc, hash, { ...patience, confirmations });
    if (receipt === undefined) {
      relayer.resetNonce();
      const replaced = await replaceStuckAndCharge(chain);
      if (replaced?.key === name) return unknownOutcome(replaced.hash, 'no receipt in time');
      await fillGap(chain, hash);
      return unknownOutcome(hash, 'no receipt in time');
    }
    chain.gas.settle(name, toGasResult(receipt));
    if (!hasSucceeded(receipt)) {
      return { state: 'reverted', transaction: hash, block: receipt.blockNumber };
    }
    chain.finality.report(toFinalTransaction(receipt));
    return { state: 'done', transaction: hash, block: Number(receipt.blockNumber), receipt };
  } catch (thrown) {
    return unknownOutcome(hash, toAppError(thrown).message);
  }
}

async function awaitSent(chain: OpenChain, order: ContractCall, hash: Hex): Promise<CallResult> {
  const outcome = await awaitOutcome(chain, order.name, hash);
  return outcome.state === 'reverted' ? explainRevert(chain, order, outcome) : outcome;
}

/** Repeats a reverted call on top of its block, without sending it, to learn the reason. */
async function explainRevert(
  { rpc, accounts, isLocal }: OpenChain,
  { to, data, gasFor }: ContractCall,
  { transaction, block }: Reverted,
): Promise<CallResult> {
  const call = { from: accounts.operator.address, to, data };
  // An embedded node has one state and keeps no old ones.
  const ask = () => rpc.ask<Hex>('eth_call', [call, isLocal ? 'pending' : block]);
  try {
    for (let looks = 0; looks < EXPLAIN_TRIES; looks += 1) {
      const answer = await askWithRetries(ask);
      // A node that lags behind accepts what was reverted.
      if (answer.ok) continue;
      const isVerdict = classifyNodeError(answer.refusal) === 'reverted';
      if (isVerdict) return toRefused(answer.refusal, gasBudget(gasFor.purpose).gasPerCall);
      return unknownOutcome(transaction, toPaymentFault(answer.refusal).message);
    }
  } catch (thrown) {
    return unknownOutcome(transaction, toAppError(thrown).message);
  }
  return toRefused({ message: 'reverted', data: undefined }, 0);
}

/** Interprets an error of the gas estimate: only the contract can reject the call for good. */
function toEstimateFailure(refusal: RpcRefusal, gasMax: number): CallResult {
  const isOfGas = gasLimitFault(refusal.message, gasMax) !== undefined;
  if (isOfGas || classifyNodeError(refusal) === 'reverted') return toRefused(refusal, gasMax);
  return unknownOutcome(null, toPaymentFault(refusal).message);
}

/** Turns a revert into a fault by its contract error. */
export function toRefused(
  refusal: RpcRefusal,
  gasMax: number,
): CallResult & { readonly state: 'refused' } {
  const decoded = decodeContractError(refusal.data);
  const known =
    (decoded && toContractFault(decoded.name, decoded.args)) ??
    gasLimitFault(refusal.message, gasMax);
  return { state: 'refused', fault: known ?? toPaymentFault(refusal), reason: decoded?.name };
}

function decodeContractError(data: Hex | undefined) {
  if (data === undefined || data === '0x') return undefined;
  try {
    const { errorName, args } = decodeErrorResult({ abi: ERRORS_ABI, data });
    return { name: errorName, args: args ?? [] };
  } catch {
    return undefined;
  }
}

function unknownOutcome(transaction: Hex | null, detail: string) {
  return { state: 'unknown', transaction, detail } as const;
}
