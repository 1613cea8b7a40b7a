import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import {
  type CallOutcome,
  ESCROW_STATES,
  type EscrowContract,
  type EscrowedJob,
  type EscrowLog,
  type EscrowMove,
  type EscrowTerms,
  type OrphanOutcome,
} from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { ChainFacts, PaymentFault } from '../../domain/payment/payment-chain.ts';
import type { OpenChain } from '../chain/local/local-chain.ts';
import type { LookUp } from '../chain/look-up.ts';
import { recoverSigner } from '../chain/signature.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import type { Called, Caller } from '../chain/trust/caller.ts';
import { findLog } from '../chain/trust/find-log.ts';
import type { LogFeed } from '../chain/trust/log-feed.ts';
import { readLogs } from '../chain/trust/log-reader.ts';
import { contractFault } from '../chain/trust/refusal.ts';
import { typedDigest } from '../chain/trust/typed-digest.ts';
import { askSurely } from '../chain/trust/view.ts';
import type { ContractSigned } from '../chain/wallet-contract.ts';
import { plain } from '../passport/identity.ts';
import { authorizationKey } from '../payment/authorization-key.ts';
import { isSameAddress } from '../payment/local-check.ts';
import { escrowVersion, readHoldings, readOwed } from './escrow-facts.ts';
import { ESCROW_FEE_BPS, escrowKey, moveData, UNDECIDED_REFUND_S } from './escrow-words.ts';
import { type FundingOrder, fundingCheck } from './funding-check.ts';
import { gasOfMove, isPaying } from './move-gas.ts';
import { encodeMove, partyMove, unsignedFault } from './moves.ts';

/** The dependencies of the escrow. */
export interface EscrowParts {
  readonly chain: OpenChain;
  readonly facts: ChainFacts;
  readonly caller: Caller;
  readonly lookUp: LookUp;
  readonly feed: LogFeed;
  /** @throws {AppError} `NOT_CONFIGURED` where there is none */
  readonly address: () => Hex;
  /** The first block that can hold a log of our contracts. */
  readonly firstBlock: number;
  readonly hasSigned: ContractSigned;
}

/** Creates the escrow of a chain. */
export function openEscrow(parts: EscrowParts): EscrowContract {
  const { chain, address, feed } = parts;
  const place = () => ({ chainId: chain.chainId, escrow: address() });
  const keyOf = (terms: EscrowTerms): Hex => escrowKey(place(), terms);
  const versionOf = escrowVersion(parts);
  const job = async (key: string) => withUndecidedRefund(await readJob(parts, key), versionOf);
  return {
    feeBps: ESCROW_FEE_BPS,
    keyOf,
    fund: async (order) => {
      const key = keyOf(order.terms);
      const fault = await fundingCheck(parts.facts, address(), parts.hasSigned)(order, key);
      if (fault !== undefined) return { state: 'refused', fault };
      const outcome = await fund(parts, key, order);
      feed.poke();
      return outcome;
    },
    returnOrphan: (authorization) => returnOrphan(parts, authorization),
    move: async (key, move) => {
      if (move.move === 'refundUndecided' && (await versionOf()) > 1) {
        const { state } = await job(key);
        const fault = contractFault('WrongState', [ESCROW_STATES.indexOf(state)]) as PaymentFault;
        return { state: 'refused', fault };
      }
      const outcome = await makeMove(parts, key, move);
      feed.poke();
      return outcome;
    },
    moveRequest: (key, move) => moveData(place(), key, move),
    job,
    holdings: () => readHoldings(parts),
    owed: (party) => readOwed(parts, party),
    logs: (fromBlock) => logsFrom(parts, fromBlock),
    follow: (fromBlock, listener) => feed.follow(Math.max(fromBlock, parts.firstBlock), listener),
  };
}

async function fund(
  parts: EscrowParts,
  key: Hex,
  order: FundingOrder,
): Promise<CallOutcome<{ readonly key: string }>> {
  const { caller, address, lookUp } = parts;
  const { state } = await readJob(parts, key);
  if (state !== 'none') return plain(await funded(parts, key), { key });
  const data = encodeFunding(order);
  const gasFor = { purpose: 'escrow', wallet: order.terms.buyer, job: key } as const;
  const outcome = await caller.call({ to: address(), data, name: `fund:${key}`, gasFor });
  if (outcome.state !== 'refused') return plain(outcome, { key });
  if (outcome.reason === 'JobKnown') return plain(await funded(parts, key), { key });
  if (outcome.fault.code !== 'PAYMENT_REPLAYED') return plain(outcome, { key });
  // The authorization is spent: a third party sent the money here, or it was used elsewhere.
  const found = await lookUp(order.authorization);
  switch (found.state) {
    case 'settled':
      return plain(await credit(parts, key, order), { key });
    case 'unknown':
      return found;
    case 'failed':
      return { state: 'refused', fault: found.fault };
    case 'unspent':
      return { state: 'unknown', transaction: null, detail: 'the chain gives two answers' };
  }
}

/** Returns the transaction that funded a job, whoever sent it. */
async function funded(parts: EscrowParts, key: Hex): Promise<Called> {
  const found =
    (await parts.caller.find(`fund:${key}`)) ?? (await parts.caller.find(`credit:${key}`));
  if (found?.state === 'done') return found;
  const log = await findLog(parts, ['JobEscrowed'], key);
  return (
    log ?? { state: 'unknown', transaction: null, detail: 'escrowed, in a block not searched' }
  );
}

async function credit(parts: EscrowParts, key: Hex, order: FundingOrder): Promise<Called> {
  const { caller, address } = parts;
  const args = [termsOf(order.terms), order.authorization.nonce as Hex] as const;
  const data = encodeFunctionData({ abi: ESCROW_ABI, functionName: 'creditOrphan', args });
  const gasFor = { purpose: 'escrow', wallet: order.terms.buyer, job: key } as const;
  return caller.call({ to: address(), data, name: `credit:${key}`, gasFor });
}

function encodeFunding({ terms, authorization, signature, form }: FundingOrder): Hex {
  const { validAfter, validBefore, nonce } = authorization;
  const times = [BigInt(validAfter), BigInt(validBefore)] as const;
  const abi = ESCROW_ABI;
  if (form === 'terms') {
    const args = [termsOf(terms), ...times, signature as Hex] as const;
    return encodeFunctionData({ abi, functionName: 'fundWithAuthorization', args });
  }
  const args = [termsOf(terms), ...times, nonce as Hex, signature as Hex] as const;
  return encodeFunctionData({ abi, functionName: 'fundExact', args });
}

function termsOf({ jobId, buyer, provider, amount, fulfilByS }: EscrowTerms) {
  return {
    jobId: jobId as Hex,
    buyer: buyer.toLowerCase() as Hex,
    provider: provider.toLowerCase() as Hex,
    amount: BigInt(amount),
    fulfilBy: fulfilByS,
  };
}

async function returnOrphan(
  parts: EscrowParts,
  authorization: Authorization,
): Promise<OrphanOutcome> {
  const { caller, address, lookUp } = parts;
  const name = `orphan:${authorizationKey(authorization)}`;
  const earlier = await caller.find(name);
  if (earlier !== undefined) return plain(earlier, null);
  const found = await lookUp(authorization);
  // A lagging node reports `unspent` even for money that did arrive. Only the end of the
  // authorization is conclusive.
  if (found.state === 'unknown' || found.state === 'unspent') return found;
  if (found.state === 'failed' || !isSameAddress(authorization.to, address())) {
    const message = 'The money of this authorization is not in the escrow.';
    return { state: 'refused', fault: { code: 'MOVE_UNAVAILABLE', message } };
  }
  const { from, nonce, value } = authorization;
  const args = [from.toLowerCase() as Hex, nonce as Hex, BigInt(value)] as const;
  const data = encodeFunctionData({ abi: ESCROW_ABI, functionName: 'returnOrphan', args });
  const outcome = await caller.call({ to: address(), data, name, gasFor: { purpose: 'closings' } });
  // The money is owed. If the gas budget is exhausted, the transfer is repeated the next day.
  const isLater = outcome.state === 'refused' && outcome.fault.code === 'GAS_BUDGET';
  return isLater
    ? { state: 'unknown', transaction: null, detail: outcome.fault.message }
    : plain(outcome, null);
}

/** The log that each move emits. */
const TOLD: { readonly [Move in EscrowMove['move']]: EscrowLog['event']['name'] } = {
  fulfil: 'JobFulfilled',
  release: 'JobReleased',
  giveBack: 'JobRefunded',
  dispute: 'JobDisputed',
  withdrawDispute: 'DisputeWithdrawn',
  settleExpired: 'JobReleased',
  refundUnfulfilled: 'JobRefunded',
  refundUndecided: 'JobRefunded',
  decide: 'DisputeDecided',
};

async function makeMove(
  parts: EscrowParts,
  key: string,
  move: EscrowMove,
): Promise<CallOutcome<null>> {
  const data = encodeMove(key, move);
  if (data === undefined) {
    return {
      state: 'refused',
      fault: { code: 'INPUT_INVALID', message: 'The move is malformed.' },
    };
  }
  const { signature: _signature, ...words } = { signature: '', ...move };
  const name = `move:${key}:${canonicalJson(words)}`;
  const gasFor = gasOfMove(move, await readJob(parts, key), key);
  const outcome = await parts.caller.call({ to: parts.address(), data, name, gasFor });
  if (outcome.state === 'done' && isPaying(move)) parts.chain.gas.earnJob(key);
  if (outcome.state !== 'refused') return plain(outcome, null);
  if (outcome.fault.code === 'GAS_BUDGET' && move.move === 'giveBack') {
    return { state: 'refused', fault: ownGas(parts, key, outcome.fault) };
  }
  if (outcome.reason === 'NotTheParty') {
    return { state: 'refused', fault: await refine(parts, key, move, outcome.fault) };
  }
  if (outcome.reason !== 'WrongState') return plain(outcome, null);
  // A job accepts each move once, so an earlier one is found by its log.
  const earlier = (await parts.caller.find(name)) ?? (await madeBy(parts, key, move));
  return plain(earlier ?? outcome, null);
}

/**
 * Adds a hint to a budget fault: anyone may submit a signed move to the contract at their own cost.
 */
function ownGas({ address }: EscrowParts, key: string, fault: PaymentFault): PaymentFault {
  const { message, data } = fault;
  return {
    code: 'GAS_BUDGET',
    message: `${message} Or send giveBack(key, signature) to the escrow from an account of yours.`,
    data: { ...data, send: { to: address(), function: 'giveBack', key } },
  };
}

/** Finds a third party's call that made exactly this move. */
async function madeBy(parts: EscrowParts, key: string, move: EscrowMove) {
  const fits = ({ event }: EscrowLog): boolean => {
    switch (event.name) {
      case 'JobFulfilled':
        return move.move === 'fulfil' && event.deliverable === move.deliverable;
      case 'JobReleased':
        return event.isAutomatic === (move.move === 'settleExpired');
      case 'JobDisputed':
        return move.move === 'dispute' && event.reason === move.reason;
      case 'DisputeDecided':
        return (
          move.move === 'decide' &&
          event.verdict === move.verdict &&
          event.isForProvider === move.isForProvider
        );
      case 'JobRefunded':
      case 'DisputeWithdrawn':
      case 'JobEscrowed':
        return true;
    }
  };
  return findLog(parts, [TOLD[move.move]], key as Hex, fits);
}

/** Distinguishes a missing signature from one of the other party. */
async function refine(
  parts: EscrowParts,
  key: string,
  move: EscrowMove,
  fault: PaymentFault,
): Promise<PaymentFault> {
  if (!('signature' in move)) return fault;
  const place = { chainId: parts.chain.chainId, escrow: parts.address() };
  const digest = typedDigest(moveData(place, key, partyMove(move)));
  const signer = recoverSigner(digest, move.signature);
  const party = String(fault.data?.['party']);
  return unsignedFault({ party, signer, job: await readJob(parts, key) });
}

interface ChainJob {
  readonly buyer: string;
  readonly state: number;
  readonly fulfilBy: number;
  readonly provider: string;
  readonly releaseBy: number;
  readonly disputedAt: number;
  readonly amount: bigint;
  readonly deliverable: string;
}

async function readJob({ chain, address }: EscrowParts, key: string): Promise<EscrowedJob> {
  const view = { to: address(), abi: ESCROW_ABI, name: 'jobs', args: [key] };
  const job = await askSurely<ChainJob>(chain.rpc, view);
  const state = ESCROW_STATES[job.state];
  if (state === undefined) throw new AppError('CONFIG_INVALID', { data: { state: job.state } });
  return {
    ...{ state, buyer: job.buyer.toLowerCase(), provider: job.provider.toLowerCase() },
    ...{ amount: job.amount.toString(), fulfilByS: job.fulfilBy, releaseByS: job.releaseBy },
    disputedAtS: job.disputedAt,
    undecidedRefundS: 0,
    deliverable: job.deliverable,
  };
}

/** Adds the time at which an undecided dispute is refunded. From version 2 on there is none. */
async function withUndecidedRefund(
  job: EscrowedJob,
  versionOf: () => Promise<number>,
): Promise<EscrowedJob> {
  if (job.state !== 'disputed' || (await versionOf()) > 1) return job;
  return { ...job, undecidedRefundS: job.disputedAtS + UNDECIDED_REFUND_S };
}

async function logsFrom(parts: EscrowParts, fromBlock: number) {
  const { chain, address, firstBlock } = parts;
  const reader = { rpc: chain.rpc, escrow: address(), confirmations: chain.confirmations };
  const logs: EscrowLog[] = [];
  let next = Math.max(fromBlock, firstBlock);
  for (;;) {
    const read = await readLogs(reader, next);
    logs.push(...read.logs);
    if (read.upTo < next) return { logs, upTo: next - 1 };
    next = read.upTo + 1;
  }
}
