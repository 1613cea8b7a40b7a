import type { PartyMove } from '../../domain/chain/trust-chain.ts';
import { toMoney } from '../../domain/common/money.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import { listJobMoves, listRequestMoves, type PossibleMove } from '../../domain/escrow/moves.ts';
import type { BidRecord, StoredPayerBinding } from '../../domain/escrow/records.ts';
import type { BidView, JobView, RequestView } from '../../domain/escrow/work.ts';
import { computeShares } from '../../machines/escrow/job-updates.ts';
import type { Services } from '../common/services.ts';
import type { OwedEnd, UnclaimedFacts } from './escrow-effects.ts';
import { isEndedUnpaid, type JobDeadline, mainState, nextDeadline } from './job-deadline.ts';
import type { JobActorState, RequestActorState } from './read-actors.ts';

type Ports = Pick<Services, 'blobs' | 'chain' | 'engine' | 'trust'> & {
  readonly unclaimed: Pick<UnclaimedFacts, 'owedEnd'>;
};

/** Returns the public view of a request with its bids and possible moves. */
export function createRequestView(deps: Ports, { state, context }: RequestActorState): RequestView {
  const { requestId, provider, bids } = context;
  const openBids = bids.filter(({ isWithdrawn }) => !isWithdrawn).map(({ bidId }) => bidId);
  return {
    request_id: requestId,
    buyer: context.buyer,
    capability_id: context.capabilityId,
    task_description: deps.blobs.get(context.taskSha) ?? '',
    budget: toMoney(context.budgetMicroUsd),
    funding: context.funding,
    provider,
    state,
    posted_at: toIsoTime(context.postedAt),
    open_until: toIsoTime(context.postedAt + context.openMs),
    fulfil_by: toIsoTime(context.fulfilByS * SECOND_MS),
    bids: bids.map((bid) => createBidView(deps, { state, context }, bid)),
    job_id: context.assigned?.jobId ?? null,
    moves: state === 'open' ? [...listRequestMoves({ requestId, provider, openBids })] : [],
  };
}

/** Returns the public view of a bid. */
export function createBidView(
  { blobs }: Ports,
  request: Pick<RequestActorState, 'state' | 'context'>,
  bid: BidRecord,
): BidView {
  return {
    bid_id: bid.bidId,
    request_id: request.context.requestId,
    provider: bid.provider,
    provider_agent: bid.providerAgent,
    price: toMoney(bid.priceMicroUsd),
    note: blobs.get(bid.noteSha) ?? '',
    at: toIsoTime(bid.at),
    status: bidStatus(request, bid),
  };
}

/** Returns the public view of a job with its release terms, facts, and currently possible moves. */
export async function createJobView(deps: Ports, job: JobActorState): Promise<JobView> {
  const { context, state } = job;
  const { escrowKey } = context;
  const end = escrowKey === null ? undefined : deps.unclaimed.owedEnd(escrowKey);
  // The job has ended on the chain, so the contract accepts no further move.
  const moves = end === undefined ? await possibleMoves(deps, job) : [];
  const undone = await readUndone(deps, job);
  return {
    job_id: context.jobId,
    request_id: context.requestId ?? '',
    bid_id: context.bidId,
    escrow_key: context.escrowKey,
    buyer: context.buyer,
    provider: context.provider,
    funding: context.funding,
    state: undone?.state ?? state,
    fulfil_by: toIsoTime(context.fulfilByS * SECOND_MS),
    release: releaseBlock(deps, job, { moves, hasEnded: end !== undefined }),
    payout: undone === undefined ? payoutView(job) : null,
    refund: undone === undefined ? refundView(job) : null,
    owed: end === undefined ? null : owedView(deps, end),
    deliverable_sha256: context.deliverableSha,
    dispute: disputeView(job),
    payer_binding: payerBinding(context.payer),
    src: context.src,
    facts: context.facts.map(({ fact, transaction, block, logIndex }) => ({
      fact,
      transaction,
      block,
      log_index: logIndex,
    })),
    moves: moves.map((move) => ({ ...move, ...typedData(deps, job, move) })),
    last_error: undone?.error ?? context.lastError,
  };
}

/** Returns the on-chain state of a job whose newest fact was undone by a reorganization. */
async function readUndone(
  { trust }: Ports,
  { context: { escrowKey, facts } }: JobActorState,
): Promise<{ readonly state: string; readonly error: string } | undefined> {
  const undoneTransactions = trust.revertedTransactions?.() ?? new Set();
  const fact = facts.findLast(({ transaction }) => undoneTransactions.has(transaction));
  if (fact === undefined || escrowKey === null) return undefined;
  const error =
    `The chain was reorganized and no longer has transaction ${fact.transaction} (${fact.fact}). ` +
    'The server resends it if possible; until then, no money has moved.';
  try {
    const found = (await trust.escrow.readJob(escrowKey)).state;
    return { state: found === 'none' ? 'funded' : found, error };
  } catch {
    // The chain is down, so the current state is unknown.
    return { state: 'unknown', error };
  }
}

/** Returns the moves that a job's machine currently accepts. */
export async function possibleMoves(
  { engine }: Pick<Services, 'engine'>,
  { view, context }: JobActorState,
): Promise<readonly PossibleMove[]> {
  if (view.status !== 'active') return [];
  const { possible } = await engine.explain(view.id);
  return listJobMoves({
    jobId: context.jobId,
    funding: context.funding,
    isLate: context.isLate,
    wasDisputed: context.dispute !== null,
    acceptedEvents: new Set(possible.map((transition) => transition.split('|')[1] ?? '')),
  });
}

function bidStatus(
  { state, context: { assigned } }: Pick<RequestActorState, 'state' | 'context'>,
  bid: BidRecord,
): BidView['status'] {
  if (bid.isWithdrawn) return 'withdrawn';
  if (assigned === null) return state === 'open' ? 'open' : 'lost';
  return assigned.bidId === bid.bidId ? 'accepted' : 'lost';
}

function releaseBlock(
  { chain: { facts } }: Ports,
  job: JobActorState,
  { moves, hasEnded }: { readonly moves: readonly PossibleMove[]; readonly hasEnded: boolean },
): JobView['release'] {
  const { context } = job;
  const { netMicroUsd, feeMicroUsd } = isEndedUnpaid(job) ? NO_SHARES : computeShares(context);
  const { atMs, what } = hasEnded ? NO_DEADLINE : nextDeadline(job);
  const release = moves.find(({ move }) => move.startsWith('release'));
  return {
    price: toMoney(context.priceMicroUsd),
    fee_bps: context.feeBps,
    fee: toMoney(feeMicroUsd),
    net: toMoney(netMicroUsd),
    payee: context.provider,
    treasury: facts.treasury,
    chain: facts.network,
    deadline: atMs === null ? null : toIsoTime(atMs),
    on_deadline: what,
    how_to_release: release === undefined ? [] : [release.how],
  };
}

function payoutView({ context }: JobActorState): JobView['payout'] {
  const { payout, feeBps, isLate } = context;
  if (payout === null) return null;
  return {
    net: toMoney(payout.netMicroUsd),
    fee: toMoney(payout.feeMicroUsd),
    fee_bps: feeBps,
    transaction: payout.transaction,
    is_late: isLate,
    is_automatic: payout.isAutomatic,
  };
}

function refundView({ context: { facts, priceMicroUsd } }: JobActorState): JobView['refund'] {
  const refunded = facts.find(({ fact }) => fact === 'CHAIN.REFUNDED');
  if (refunded === undefined) return null;
  const { transaction, atS } = refunded;
  return { amount: toMoney(priceMicroUsd), transaction, at: toIsoTime(atS * SECOND_MS) };
}

function owedView({ trust }: Ports, { to, role, amount, transaction }: OwedEnd): JobView['owed'] {
  return {
    to,
    role,
    amount: toMoney(amount),
    transaction,
    why: 'the token rejected the transfer: it is paused, or the account is frozen',
    how:
      `${role}: call fetch(address) on the escrow ${trust.contracts.escrow} from ${to}, with any ` +
      'address that can receive the money; the job closes once the money is fetched',
  };
}

function disputeView(job: JobActorState): JobView['dispute'] {
  const { dispute, verdict, decideMs, isUndecided } = job.context;
  if (dispute === null) return null;
  const { by, reason, openedAtS, isRefundedByTime } = dispute;
  const status = disputeStatus(job);
  const isOpen = status === 'open';
  const silence = isRefundedByTime ? 'refunded' : 'held';
  return {
    by,
    status,
    reason,
    verdict,
    is_undecided: isOpen && isUndecided,
    verdict_due: isOpen ? toIsoTime(openedAtS * SECOND_MS + decideMs) : null,
    on_silence: isOpen ? silence : 'none',
  };
}

function disputeStatus({ state, context: { facts, verdict } }: JobActorState) {
  if (verdict !== null) return 'decided';
  if (mainState(state) === 'disputed') return 'open';
  const isWithdrawn = facts.some(({ fact }) => fact === 'CHAIN.DISPUTE_WITHDRAWN');
  return isWithdrawn ? 'withdrawn' : 'settled';
}

function payerBinding(stamp: StoredPayerBinding | null): JobView['payer_binding'] {
  if (stamp === null) return null;
  const { payer, registeredWallet, match } = stamp;
  return { payer, registered_wallet: registeredWallet, match };
}

/** Shares of a job that ended without a release. */
const NO_SHARES = { netMicroUsd: '0', feeMicroUsd: '0' } as const;
const NO_DEADLINE: JobDeadline = { atMs: null, what: 'none' };
const ZERO_HASH = `0x${'00'.repeat(32)}`;
/** Moves that a party signs. Zeros stand for the hash of the party's own reason or deliverable. */
const SIGNED_MOVES: Readonly<Record<string, PartyMove>> = {
  fulfil: { move: 'fulfil', deliverable: ZERO_HASH },
  release: { move: 'release' },
  release_late: { move: 'release' },
  dispute: { move: 'dispute', reason: ZERO_HASH },
  withdraw_dispute: { move: 'withdrawDispute' },
  give_back: { move: 'giveBack' },
};

function typedData({ trust }: Ports, { context }: JobActorState, { move }: PossibleMove) {
  const signed = SIGNED_MOVES[move];
  if (context.escrowKey === null || signed === undefined) return {};
  return { typed_data: { ...trust.escrow.createMoveRequest(context.escrowKey, signed) } };
}
