import {
  ESCROW_STATES,
  type EscrowLog,
  type EscrowMove,
  type EscrowState,
  type EscrowTerms,
  type PartyMove,
} from '../../../src/domain/chain/trust-chain.ts';
import type { PaymentFault } from '../../../src/domain/payment/payment-chain.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { contractFault, faultError } from '../../../src/providers/chain/trust/refusal.ts';
import { typedDigest } from '../../../src/providers/chain/trust/typed-digest.ts';
import {
  ESCROW_FEE_BPS,
  type EscrowPlace,
  moveData,
  RELEASE_WINDOW_S,
} from '../../../src/providers/escrow/escrow-words.ts';
import { partyMove, unsignedFault } from '../../../src/providers/escrow/moves.ts';
import { hasSigned, type MemoryCall, type MemoryJob } from './memory-contracts.ts';
import type { MemoryLedger } from './memory-ledger.ts';

/** The dependencies of the escrow in memory. */
export interface MemoryEscrowParts {
  readonly place: EscrowPlace;
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
export function openJob(parts: MemoryEscrowParts, key: string, terms: EscrowTerms): MemoryCall {
  const { contracts } = parts.ledger;
  const nowS = parts.nowS();
  const own = [NO_JOB.buyer, parts.place.escrow, parts.treasury];
  const isFit =
    BigInt(terms.amount) > 0n &&
    ![terms.buyer, terms.provider].some((party) => isOneOf(party, own)) &&
    terms.fulfilByS > nowS &&
    terms.fulfilByS <= nowS + FULFIL_AHEAD_MAX_S;
  if (!isFit) throw refused('TermsInvalid');
  if (contracts.jobs.has(key)) throw refused('JobKnown', key);
  const { jobId, amount, fulfilByS } = terms;
  const job: MemoryJob = {
    ...{ ...NO_JOB, state: 'escrowed', jobId, amount, fulfilByS },
    buyer: terms.buyer.toLowerCase(),
    provider: terms.provider.toLowerCase(),
  };
  contracts.jobs.set(key, job);
  contracts.held += BigInt(amount);
  return told(parts, key, [{ name: 'JobEscrowed', jobId, amount }]);
}

function isOneOf(party: string, addresses: readonly string[]): boolean {
  return addresses.some((address) => address.toLowerCase() === party.toLowerCase());
}

/** Makes a move on a job. @throws {AppError} if the contract would revert */
export function moveJob(parts: MemoryEscrowParts, key: string, move: EscrowMove): MemoryCall {
  const job = parts.ledger.contracts.jobs.get(key) ?? NO_JOB;
  const at: MoveParts = { ...parts, key, job };
  switch (move.move) {
    case 'fulfil':
      return fulfil(at, move);
    case 'release':
      requireState(job, OPEN_STATES);
      requireParty(at, job.buyer, move);
      return release(at, false);
    case 'giveBack':
      requireState(job, OPEN_STATES);
      requireParty(at, job.provider, move);
      return refund(at);
    case 'dispute':
      return dispute(at, move);
    case 'withdrawDispute':
      return withdrawDispute(at, move);
    case 'settleExpired':
      requireState(job, ['fulfilled']);
      requireDue(parts.nowS(), job.releaseByS);
      return release(at, true);
    case 'refundUnfulfilled':
      requireState(job, ['escrowed']);
      requireDue(parts.nowS(), job.fulfilByS + 1);
      return refund(at);
    case 'refundUndecided':
      // Like version 2 of the contract: a dispute has no deadline.
      throw refused('WrongState', ESCROW_STATES.indexOf(job.state));
    case 'decide': {
      requireState(job, ['disputed']);
      const { isForProvider, verdict } = move;
      const decided = { name: 'DisputeDecided', isForProvider, verdict } as const;
      return isForProvider ? release(at, false, [decided]) : refund(at, [decided]);
    }
  }
}

interface MoveParts extends MemoryEscrowParts {
  readonly key: string;
  readonly job: MemoryJob;
}

type Signed = PartyMove & { readonly signature: string };
type Told = EscrowLog['event'];

function fulfil(at: MoveParts, move: Signed & { readonly move: 'fulfil' }): MemoryCall {
  const { job, key } = at;
  requireState(job, ['escrowed']);
  requireParty(at, job.provider, move);
  if (at.nowS() > job.fulfilByS) throw refused('TooLate', job.fulfilByS);
  const { deliverable } = move;
  const releaseByS = at.nowS() + RELEASE_WINDOW_S;
  keep(at, { state: 'fulfilled', deliverable, releaseByS });
  return told(at, key, [{ name: 'JobFulfilled', deliverable, releaseByS }]);
}

function dispute(at: MoveParts, move: Signed & { readonly move: 'dispute' }): MemoryCall {
  const { job, key } = at;
  requireState(job, ['fulfilled']);
  requireParty(at, job.buyer, move);
  if (job.wasDisputed) throw refused('WrongState', ESCROW_STATES.indexOf(job.state));
  const disputedAtS = at.nowS();
  if (disputedAtS >= job.releaseByS) throw refused('TooLate', job.releaseByS);
  keep(at, { state: 'disputed', wasDisputed: true, disputedAtS });
  return told(at, key, [{ name: 'JobDisputed', reason: move.reason, decideByS: 0 }]);
}

function withdrawDispute(at: MoveParts, move: Signed): MemoryCall {
  const { job, key } = at;
  requireState(job, ['disputed']);
  requireParty(at, job.buyer, move);
  const releaseByS = job.releaseByS + at.nowS() - job.disputedAtS;
  keep(at, { state: 'fulfilled', releaseByS });
  return told(at, key, [{ name: 'DisputeWithdrawn', releaseByS }]);
}

function release(at: MoveParts, isAutomatic: boolean, before: readonly Told[] = []): MemoryCall {
  const { job, key, ledger, place, treasury } = at;
  const amount = BigInt(job.amount);
  const fee = (amount * BigInt(ESCROW_FEE_BPS)) / 10_000n;
  keep(at, { state: 'released' });
  ledger.contracts.held -= amount;
  const isOwed = !sent(at, job.provider, amount - fee);
  if (fee > 0n) ledger.pay({ from: place.escrow, to: treasury, value: fee });
  const shares = { net: (amount - fee).toString(), fee: fee.toString() };
  const done: Told = {
    name: 'JobReleased',
    provider: job.provider,
    ...shares,
    isAutomatic,
    ...(isOwed ? { isOwed } : {}),
  };
  return told(at, key, [...before, done]);
}

function refund(at: MoveParts, before: readonly Told[] = []): MemoryCall {
  const { job, key, ledger } = at;
  keep(at, { state: 'refunded' });
  ledger.contracts.held -= BigInt(job.amount);
  const isOwed = !sent(at, job.buyer, BigInt(job.amount));
  const done: Told = {
    name: 'JobRefunded',
    buyer: job.buyer,
    amount: job.amount,
    ...(isOwed ? { isOwed } : {}),
  };
  return told(at, key, [...before, done]);
}

/** Sends money of a job. If the token blocks the transfer, the amount is recorded as owed. */
function sent({ ledger, place }: MoveParts, to: string, value: bigint): boolean {
  const { frozen, owed } = ledger.contracts;
  if (frozen.has(to)) {
    owed.set(to, (owed.get(to) ?? 0n) + value);
    return false;
  }
  ledger.pay({ from: place.escrow, to, value });
  return true;
}

function keep({ ledger, key, job }: MoveParts, change: Partial<MemoryJob>): void {
  ledger.contracts.jobs.set(key, { ...job, ...change });
}

function told(
  { ledger: { contracts }, nowS }: MemoryEscrowParts,
  key: string,
  events: readonly Told[],
): MemoryCall {
  const call = contracts.mine();
  const blockHash = contracts.hashOf(call.block);
  for (const [logIndex, event] of events.entries()) {
    contracts.logs.push({ key, event, ...call, blockHash, logIndex, atS: nowS() });
  }
  return call;
}

function requireState(job: MemoryJob, states: readonly EscrowState[]): void {
  if (!states.includes(job.state)) throw refused('WrongState', ESCROW_STATES.indexOf(job.state));
}

function requireDue(nowS: number, dueS: number): void {
  if (nowS < dueS) throw refused('TooEarly', dueS);
}

function requireParty({ ledger, place, key, job }: MoveParts, party: string, move: Signed): void {
  const digest = typedDigest(moveData(place, key, partyMove(move)));
  const { signature } = move;
  if (hasSigned(ledger.contracts, party, { digest, signature })) return;
  throw faultError(unsignedFault({ party, signer: recoverSigner(digest, signature), job }));
}

function refused(name: string, ...args: readonly unknown[]) {
  return faultError(contractFault(name, args) as PaymentFault);
}
