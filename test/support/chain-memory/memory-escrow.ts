import {
  ESCROW_STATES,
  type EscrowLog,
  type EscrowMove,
  type EscrowState,
  type EscrowTerms,
  type PartyMove,
} from '../../../src/domain/chain/trust-chain.ts';
import type { PaymentFailure } from '../../../src/domain/payment/payment-chain.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { toContractFault } from '../../../src/providers/chain/trust/contract-fault.ts';
import { typedDigest } from '../../../src/providers/chain/trust/typed-digest.ts';
import {
  createMoveData,
  ESCROW_FEE_BPS,
  type EscrowAddress,
  RELEASE_WINDOW_S,
} from '../../../src/providers/escrow/escrow-encoding.ts';
import { createUnsignedFault, withoutSignature } from '../../../src/providers/escrow/moves.ts';
import { toError } from './fault-error.ts';
import { hasSigned, type MemoryCall, type MemoryJob } from './memory-contracts.ts';
import type { MemoryLedger } from './memory-ledger.ts';

/** The dependencies of the escrow in memory. */
export interface MemoryEscrowDeps {
  readonly place: EscrowAddress;
  readonly ledger: MemoryLedger;
  readonly treasury: string;
  /** Returns the current time in seconds. */
  readonly nowS: () => number;
}

const FULFIL_AHEAD_MAX_S = 365 * 24 * 3_600;
const OPEN_STATES: readonly EscrowState[] = ['escrowed', 'fulfilled', 'disputed'];

/** The empty job, which stands for an unknown key. */
export const NO_JOB: MemoryJob = {
  state: 'none',
  buyer: '0x0000000000000000000000000000000000000000',
  provider: '0x0000000000000000000000000000000000000000',
  amount: '0',
  fulfilByS: 0,
  releaseByS: 0,
  disputedAtS: 0,
  undecidedRefundS: 0,
  deliverable: `0x${'00'.repeat(32)}`,
  jobId: `0x${'00'.repeat(32)}`,
  wasDisputed: false,
};

/** Opens a job whose money has arrived. @throws {AppError} if the contract would revert */
export function createJob(parts: MemoryEscrowDeps, key: string, terms: EscrowTerms): MemoryCall {
  const { contracts } = parts.ledger;
  const nowS = parts.nowS();
  const reservedAddresses = [NO_JOB.buyer, parts.place.escrow, parts.treasury];
  const areTermsValid =
    BigInt(terms.amount) > 0n &&
    ![terms.buyer, terms.provider].some((party) => isOneOf(party, reservedAddresses)) &&
    terms.fulfilByS > nowS &&
    terms.fulfilByS <= nowS + FULFIL_AHEAD_MAX_S;
  if (!areTermsValid) throw revertError('TermsInvalid');
  if (contracts.jobs.has(key)) throw revertError('JobKnown', key);
  const { jobId, amount, fulfilByS } = terms;
  const job: MemoryJob = {
    ...NO_JOB,
    state: 'escrowed',
    jobId,
    amount,
    fulfilByS,
    buyer: terms.buyer.toLowerCase(),
    provider: terms.provider.toLowerCase(),
  };
  contracts.jobs.set(key, job);
  contracts.held += BigInt(amount);
  return recordEvents(parts, key, [{ name: 'JobEscrowed', jobId, amount }]);
}

function isOneOf(party: string, addresses: readonly string[]): boolean {
  return addresses.some((address) => address.toLowerCase() === party.toLowerCase());
}

/** Makes a move on a job. @throws {AppError} if the contract would revert */
export function moveJob(parts: MemoryEscrowDeps, key: string, move: EscrowMove): MemoryCall {
  const job = parts.ledger.contracts.jobs.get(key) ?? NO_JOB;
  const context: MoveContext = { ...parts, key, job };
  switch (move.move) {
    case 'fulfil':
      return fulfil(context, move);
    case 'release':
      requireState(job, OPEN_STATES);
      requireParty(context, job.buyer, move);
      return release(context, false);
    case 'giveBack':
      requireState(job, OPEN_STATES);
      requireParty(context, job.provider, move);
      return refund(context);
    case 'dispute':
      return dispute(context, move);
    case 'withdrawDispute':
      return withdrawDispute(context, move);
    case 'settleExpired':
      requireState(job, ['fulfilled']);
      requireDue(parts.nowS(), job.releaseByS);
      return release(context, true);
    case 'refundUnfulfilled':
      requireState(job, ['escrowed']);
      requireDue(parts.nowS(), job.fulfilByS + 1);
      return refund(context);
    case 'refundUndecided':
      // Like version 2 of the contract: a dispute has no deadline.
      throw revertError('WrongState', ESCROW_STATES.indexOf(job.state));
    case 'decide': {
      requireState(job, ['disputed']);
      const { isForProvider, verdict } = move;
      const decided = { name: 'DisputeDecided', isForProvider, verdict } as const;
      return isForProvider ? release(context, false, [decided]) : refund(context, [decided]);
    }
  }
}

interface MoveContext extends MemoryEscrowDeps {
  readonly key: string;
  readonly job: MemoryJob;
}

type SignedMove = PartyMove & { readonly signature: string };
type EscrowEvent = EscrowLog['event'];

function fulfil(at: MoveContext, move: SignedMove & { readonly move: 'fulfil' }): MemoryCall {
  const { job, key } = at;
  requireState(job, ['escrowed']);
  requireParty(at, job.provider, move);
  if (at.nowS() > job.fulfilByS) throw revertError('TooLate', job.fulfilByS);
  const { deliverable } = move;
  const releaseByS = at.nowS() + RELEASE_WINDOW_S;
  updateJob(at, { state: 'fulfilled', deliverable, releaseByS });
  return recordEvents(at, key, [{ name: 'JobFulfilled', deliverable, releaseByS }]);
}

function dispute(at: MoveContext, move: SignedMove & { readonly move: 'dispute' }): MemoryCall {
  const { job, key } = at;
  requireState(job, ['fulfilled']);
  requireParty(at, job.buyer, move);
  if (job.wasDisputed) throw revertError('WrongState', ESCROW_STATES.indexOf(job.state));
  const disputedAtS = at.nowS();
  if (disputedAtS >= job.releaseByS) throw revertError('TooLate', job.releaseByS);
  updateJob(at, { state: 'disputed', wasDisputed: true, disputedAtS });
  return recordEvents(at, key, [{ name: 'JobDisputed', reason: move.reason, decideByS: 0 }]);
}

function withdrawDispute(at: MoveContext, move: SignedMove): MemoryCall {
  const { job, key } = at;
  requireState(job, ['disputed']);
  requireParty(at, job.buyer, move);
  const releaseByS = job.releaseByS + at.nowS() - job.disputedAtS;
  updateJob(at, { state: 'fulfilled', releaseByS });
  return recordEvents(at, key, [{ name: 'DisputeWithdrawn', releaseByS }]);
}

function release(
  at: MoveContext,
  isAutomatic: boolean,
  earlierEvents: readonly EscrowEvent[] = [],
): MemoryCall {
  const { job, key, ledger, place, treasury } = at;
  const amount = BigInt(job.amount);
  const fee = (amount * BigInt(ESCROW_FEE_BPS)) / 10_000n;
  updateJob(at, { state: 'released' });
  ledger.contracts.held -= amount;
  const isOwed = !paySafely(at, job.provider, amount - fee);
  if (fee > 0n) ledger.pay({ from: place.escrow, to: treasury, value: fee });
  const shares = { net: (amount - fee).toString(), fee: fee.toString() };
  const event: EscrowEvent = {
    name: 'JobReleased',
    provider: job.provider,
    ...shares,
    isAutomatic,
    ...(isOwed ? { isOwed } : {}),
  };
  return recordEvents(at, key, [...earlierEvents, event]);
}

function refund(at: MoveContext, before: readonly EscrowEvent[] = []): MemoryCall {
  const { job, key, ledger } = at;
  updateJob(at, { state: 'refunded' });
  ledger.contracts.held -= BigInt(job.amount);
  const isOwed = !paySafely(at, job.buyer, BigInt(job.amount));
  const done: EscrowEvent = {
    name: 'JobRefunded',
    buyer: job.buyer,
    amount: job.amount,
    ...(isOwed ? { isOwed } : {}),
  };
  return recordEvents(at, key, [...before, done]);
}

/** Sends money of a job. If the token blocks the transfer, the amount is recorded as owed. */
function paySafely({ ledger, place }: MoveContext, to: string, value: bigint): boolean {
  const { frozen, owed } = ledger.contracts;
  if (frozen.has(to)) {
    owed.set(to, (owed.get(to) ?? 0n) + value);
    return false;
  }
  ledger.pay({ from: place.escrow, to, value });
  return true;
}

function updateJob({ ledger, key, job }: MoveContext, change: Partial<MemoryJob>): void {
  ledger.contracts.jobs.set(key, { ...job, ...change });
}

function recordEvents(
  { ledger: { contracts }, nowS }: MemoryEscrowDeps,
  key: string,
  events: readonly EscrowEvent[],
): MemoryCall {
  const call = contracts.mine();
  const blockHash = contracts.hashOf(call.block);
  for (const [logIndex, event] of events.entries()) {
    contracts.logs.push({ key, event, ...call, blockHash, logIndex, atS: nowS() });
  }
  return call;
}

function requireState(job: MemoryJob, states: readonly EscrowState[]): void {
  if (!states.includes(job.state))
    throw revertError('WrongState', ESCROW_STATES.indexOf(job.state));
}

function requireDue(nowS: number, dueS: number): void {
  if (nowS < dueS) throw revertError('TooEarly', dueS);
}

function requireParty(
  { ledger, place, key, job }: MoveContext,
  party: string,
  move: SignedMove,
): void {
  const digest = typedDigest(createMoveData(place, key, withoutSignature(move)));
  const { signature } = move;
  if (hasSigned(ledger.contracts, party, { digest, signature })) return;
  throw toError(createUnsignedFault({ party, signer: recoverSigner(digest, signature), job }));
}

function revertError(name: string, ...args: readonly unknown[]) {
  return toError(toContractFault(name, args) as PaymentFailure);
}
