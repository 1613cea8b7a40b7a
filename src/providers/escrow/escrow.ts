import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type {
  CallOutcome,
  EscrowContract,
  EscrowLog,
  EscrowMove,
  EscrowTerms,
  OrphanOutcome,
} from '../../domain/chain/trust-chain.ts';
import { ESCROW_STATES } from '../../domain/chain/trust-chain.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { ChainFacts, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { AuthorizationLookup } from '../chain/authorization-lookup.ts';
import { recoverSigner } from '../chain/signature.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import type { CallResult, ContractCaller } from '../chain/trust/caller.ts';
import { toContractFault } from '../chain/trust/contract-fault.ts';
import type { LogFeed } from '../chain/trust/log-feed.ts';
import type { LogSource } from '../chain/trust/log-ranges.ts';
import { typedDigest } from '../chain/trust/typed-digest.ts';
import type { WalletSignatureCheck } from '../chain/wallet-contract.ts';
import { toCallOutcome } from '../passport/identity.ts';
import { authorizationKey } from '../payment/authorization-key.ts';
import { isSameAddress } from '../payment/local-check.ts';
import { computeEscrowKey, createMoveData, ESCROW_FEE_BPS } from './escrow-encoding.ts';
import {
  createVersionReader,
  findLog,
  readHoldings,
  readJob,
  readLogsFrom,
  readOwed,
  withUndecidedRefund,
} from './escrow-reads.ts';
import type { FundingOrder } from './funding-check.ts';
import { createFundingCheck } from './funding-check.ts';
import { isPayout, moveGasAccount } from './move-gas.ts';
import { createUnsignedFault, encodeMove, withoutSignature } from './moves.ts';

/** The dependencies of the escrow. */
interface EscrowDeps extends LogSource {
  readonly facts: ChainFacts;
  readonly caller: ContractCaller;
  readonly lookUp: AuthorizationLookup;
  readonly feed: LogFeed;
  readonly hasSigned: WalletSignatureCheck;
}

/** Creates the escrow of a chain. */
export function createEscrow(parts: EscrowDeps): EscrowContract {
  const { chain, address, feed } = parts;
  const escrowAddress = () => ({ chainId: chain.chainId, escrow: address() });
  const keyOf = (terms: EscrowTerms): Hex => computeEscrowKey(escrowAddress(), terms);
  const readVersion = createVersionReader(parts);
  const job = async (key: string) => withUndecidedRefund(await readJob(parts, key), readVersion);
  return {
    feeBps: ESCROW_FEE_BPS,
    computeKey: keyOf,
    fund: async (order) => {
      const key = keyOf(order.terms);
      const fault = await createFundingCheck(parts.facts, address(), parts.hasSigned)(order, key);
      if (fault !== undefined) return { state: 'refused', fault };
      const outcome = await fundJob(parts, key, order);
      feed.readNow();
      return outcome;
    },
    returnOrphan: (authorization) => returnOrphan(parts, authorization),
    move: async (key, move) => {
      if (move.move === 'refundUndecided' && (await readVersion()) > 1) {
        const { state } = await job(key);
        const fault = toContractFault('WrongState', [
          ESCROW_STATES.indexOf(state),
        ]) as PaymentFailure;
        return { state: 'refused', fault };
      }
      const outcome = await makeMove(parts, key, move);
      feed.readNow();
      return outcome;
    },
    createMoveRequest: (key, move) => createMoveData(escrowAddress(), key, move),
    readJob: job,
    readHoldings: () => readHoldings(parts),
    readOwed: (party) => readOwed(parts, party),
    readLogs: (fromBlock) => readLogsFrom(parts, fromBlock),
    subscribe: (fromBlock, listener) =>
      feed.follow(Math.max(fromBlock, parts.firstBlock), listener),
  };
}

async function fundJob(
  parts: EscrowDeps,
  key: Hex,
  order: FundingOrder,
): Promise<CallOutcome<{ readonly key: string }>> {
  const { caller, address, lookUp } = parts;
  const { state } = await readJob(parts, key);
  if (state !== 'none') return toCallOutcome(await findFunding(parts, key), { key });
  const data = encodeFunding(order);
  const gasFor = { purpose: 'escrow', wallet: order.terms.buyer, job: key } as const;
  const outcome = await caller.call({ to: address(), data, name: `fund:${key}`, gasFor });
  if (outcome.state !== 'refused') return toCallOutcome(outcome, { key });
  if (outcome.reason === 'JobKnown') return toCallOutcome(await findFunding(parts, key), { key });
  if (outcome.fault.code !== 'PAYMENT_REPLAYED') return toCallOutcome(outcome, { key });
  // The authorization is spent: a third party sent the money here, or it was used elsewhere.
  const found = await lookUp(order.authorization);
  switch (found.state) {
    case 'settled':
      return toCallOutcome(await creditJob(parts, key, order), { key });
    case 'unknown':
      return found;
    case 'failed':
      return { state: 'refused', fault: found.fault };
    case 'unspent':
      return { state: 'unknown', transaction: null, detail: 'the chain contradicts itself' };
  }
}

/** Returns the transaction that funded a job, whoever sent it. */
async function findFunding(parts: EscrowDeps, key: Hex): Promise<CallResult> {
  const found =
    (await parts.caller.find(`fund:${key}`)) ?? (await parts.caller.find(`credit:${key}`));
  if (found?.state === 'done') return found;
  const log = await findLog(parts, ['JobEscrowed'], key);
  return (
    log ?? { state: 'unknown', transaction: null, detail: 'escrowed, in a block not searched' }
  );
}

async function creditJob(parts: EscrowDeps, key: Hex, order: FundingOrder): Promise<CallResult> {
  const { caller, address } = parts;
  const args = [toContractTerms(order.terms), order.authorization.nonce as Hex] as const;
  const data = encodeFunctionData({ abi: ESCROW_ABI, functionName: 'creditOrphan', args });
  const gasFor = { purpose: 'escrow', wallet: order.terms.buyer, job: key } as const;
  return caller.call({ to: address(), data, name: `credit:${key}`, gasFor });
}

function encodeFunding({ terms, authorization, signature, form }: FundingOrder): Hex {
  const { validAfter, validBefore, nonce } = authorization;
  const times = [BigInt(validAfter), BigInt(validBefore)] as const;
  const abi = ESCROW_ABI;
  if (form === 'terms') {
    const args = [toContractTerms(terms), ...times, signature as Hex] as const;
    return encodeFunctionData({ abi, functionName: 'fundWithAuthorization', args });
  }
  const args = [toContractTerms(terms), ...times, nonce as Hex, signature as Hex] as const;
  return encodeFunctionData({ abi, functionName: 'fundExact', args });
}

function toContractTerms({ jobId, buyer, provider, amount, fulfilByS }: EscrowTerms) {
  return {
    jobId: jobId as Hex,
    buyer: buyer.toLowerCase() as Hex,
    provider: provider.toLowerCase() as Hex,
    amount: BigInt(amount),
    fulfilBy: fulfilByS,
  };
}

async function returnOrphan(
  parts: EscrowDeps,
  authorization: Authorization,
): Promise<OrphanOutcome> {
  const { caller, address, lookUp } = parts;
  const name = `orphan:${authorizationKey(authorization)}`;
  const earlier = await caller.find(name);
  if (earlier !== undefined) return toCallOutcome(earlier, null);
  const found = await lookUp(authorization);
  // A lagging node reports `unspent` even for money that did arrive. Only the end of the
  // authorization is conclusive.
  if (found.state === 'unknown' || found.state === 'unspent') return found;
  if (found.state === 'failed' || !isSameAddress(authorization.to, address())) {
    const message = 'The escrow holds no money of this authorization.';
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
    : toCallOutcome(outcome, null);
}

/** The log that each move emits. */
const MOVE_EVENTS: { readonly [Move in EscrowMove['move']]: EscrowLog['event']['name'] } = {
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
  parts: EscrowDeps,
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
  const gasFor = moveGasAccount(move, await readJob(parts, key), key);
  const outcome = await parts.caller.call({ to: parts.address(), data, name, gasFor });
  if (outcome.state === 'done' && isPayout(move)) parts.chain.gas.markJobPaid(key);
  if (outcome.state !== 'refused') return toCallOutcome(outcome, null);
  if (outcome.fault.code === 'GAS_BUDGET' && move.move === 'giveBack') {
    return { state: 'refused', fault: addSelfSendHint(parts, key, outcome.fault) };
  }
  if (outcome.reason === 'NotTheParty') {
    return { state: 'refused', fault: await refineSignatureFault(parts, key, move, outcome.fault) };
  }
  if (outcome.reason !== 'WrongState') return toCallOutcome(outcome, null);
  // A job accepts each move once, so an earlier one is found by its log.
  const earlier = (await parts.caller.find(name)) ?? (await findForeignMove(parts, key, move));
  return toCallOutcome(earlier ?? outcome, null);
}

/**
 * Adds a hint to a budget fault: anyone may submit a signed move to the contract at their own cost.
 */
function addSelfSendHint(
  { address }: EscrowDeps,
  key: string,
  fault: PaymentFailure,
): PaymentFailure {
  const { message, data } = fault;
  return {
    code: 'GAS_BUDGET',
    message: `${message} Or send giveBack(key, signature) to the escrow from your own account.`,
    data: { ...data, send: { to: address(), function: 'giveBack', key } },
  };
}

/** Finds a third party's call that made exactly this move. */
async function findForeignMove(parts: EscrowDeps, key: string, move: EscrowMove) {
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
  return findLog(parts, [MOVE_EVENTS[move.move]], key as Hex, fits);
}

/** Distinguishes a missing signature from one of the other party. */
async function refineSignatureFault(
  parts: EscrowDeps,
  key: string,
  move: EscrowMove,
  fault: PaymentFailure,
): Promise<PaymentFailure> {
  if (!('signature' in move)) return fault;
  const place = { chainId: parts.chain.chainId, escrow: parts.address() };
  const digest = typedDigest(createMoveData(place, key, withoutSignature(move)));
  const signer = recoverSigner(digest, move.signature);
  const party = String(fault.data?.['party']);
  return createUnsignedFault({ party, signer, job: await readJob(parts, key) });
}
