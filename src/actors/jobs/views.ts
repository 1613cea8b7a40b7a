import { movesOfJob, movesOfRequest, type PossibleMove } from '../../domain/board/moves.ts';
import type { BidRecord, PayerStamp } from '../../domain/board/records.ts';
import type { BidView, JobView, RequestView } from '../../domain/board/work.ts';
import { money } from '../../domain/money.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { ChainFacts } from '../../domain/ports/payment-chain.ts';
import type { PartyMove, TrustChain } from '../../domain/ports/trust-chain.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { sharesOf } from '../../machines/parts/job-moves.ts';
import type { RequestContext } from '../../machines/parts/request-facts.ts';
import type { ActorEngine } from '../../runtime/types.ts';
import type { StandingJob, StandingRequest } from './read.ts';

/** What views are worded from. */
export interface ViewDeps {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  readonly facts: ChainFacts;
  readonly trust: Pick<TrustChain, 'escrow'>;
}

/** Words a request with its bids, and what can be done with it now. */
export function viewRequest(deps: ViewDeps, { state, context }: StandingRequest): RequestView {
  const { requestId, provider, bids } = context;
  const openBids = bids.filter(({ isWithdrawn }) => !isWithdrawn).map(({ bidId }) => bidId);
  return {
    request_id: requestId,
    buyer: context.buyer,
    capability_id: context.capabilityId,
    task_description: deps.blobs.get(context.taskSha) ?? '',
    budget: money(context.budgetMicroUsd),
    funding: context.funding,
    provider,
    state,
    posted_at: instant(context.postedAt),
    open_until: instant(context.postedAt + context.openMs),
    fulfil_by: instant(context.fulfilByS * SECOND_MS),
    bids: bids.map((bid) => viewBid(deps, context, bid)),
    job_id: context.assigned?.jobId ?? null,
    moves: state === 'open' ? [...movesOfRequest({ requestId, provider, openBids })] : [],
  };
}

/** Words a bid. */
export function viewBid({ blobs }: ViewDeps, request: RequestContext, bid: BidRecord): BidView {
  return {
    bid_id: bid.bidId,
    request_id: request.requestId,
    provider: bid.provider,
    provider_agent: bid.providerAgent,
    price: money(bid.priceMicroUsd),
    note: blobs.get(bid.noteSha) ?? '',
    at: instant(bid.at),
    status: statusOf(request, bid),
  };
}

/** Words a job with its release block, its facts, and the moves that its machine would take now. */
export async function viewJob(deps: ViewDeps, job: StandingJob): Promise<JobView> {
  const { context, state } = job;
  const moves = await movesOf(deps, job);
  return {
    job_id: context.jobId,
    request_id: context.requestId ?? '',
    bid_id: context.bidId,
    escrow_key: context.escrowKey,
    buyer: context.buyer,
    provider: context.provider,
    funding: context.funding,
    state,
    fulfil_by: instant(context.fulfilByS * SECOND_MS),
    release: releaseBlock(deps, job, moves),
    payout: payoutOf(job),
    deliverable_sha256: context.deliverableSha,
    dispute: disputeOf(job),
    payer_binding: bindingOf(context.payer),
    src: context.src,
    facts: context.facts.map(({ fact, transaction, block, logIndex }) => ({
      ...{ fact, transaction, block },
      log_index: logIndex,
    })),
    moves: moves.map((move) => ({ ...move, ...typedData(deps, job, move) })),
    last_error: context.lastError,
  };
}

/** The moves that a job's machine would take now. */
export async function movesOf(
  { engine }: Pick<ViewDeps, 'engine'>,
  { view, context }: StandingJob,
): Promise<readonly PossibleMove[]> {
  if (view.status !== 'active') return [];
  const { possible } = await engine.explain(view.id);
  return movesOfJob({
    ...{ jobId: context.jobId, funding: context.funding, isLate: context.isLate },
    wasDisputed: context.dispute !== null,
    takes: new Set(possible.map((transition) => transition.split('|')[1] ?? '')),
  });
}

/** A moment as callers see it. */
export function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}

function statusOf({ assigned }: RequestContext, bid: BidRecord): BidView['status'] {
  if (bid.isWithdrawn) return 'withdrawn';
  if (assigned === null) return 'open';
  return assigned.bidId === bid.bidId ? 'accepted' : 'lost';
}

function releaseBlock(
  { facts }: ViewDeps,
  { context }: StandingJob,
  moves: readonly PossibleMove[],
): JobView['release'] {
  const { netMicroUsd, feeMicroUsd } = sharesOf(context);
  const isEscrow = context.funding === 'escrow';
  const release = moves.find(({ move }) => move.startsWith('release'));
  return {
    price: money(context.priceMicroUsd),
    fee_bps: context.feeBps,
    fee: money(feeMicroUsd),
    net: money(netMicroUsd),
    payee: context.provider,
    treasury: facts.treasury,
    chain: facts.network,
    deadline: context.releaseByMs === null ? null : instant(context.releaseByMs),
    on_deadline: isEscrow ? 'auto_release' : 'expired_unreleased',
    how_to_release: release === undefined ? [] : [release.how],
  };
}

function payoutOf({ context }: StandingJob): JobView['payout'] {
  const { payout, feeBps, isLate } = context;
  if (payout === null) return null;
  return {
    net: money(payout.netMicroUsd),
    fee: money(payout.feeMicroUsd),
    fee_bps: feeBps,
    transaction: payout.transaction,
    is_late: isLate,
    is_automatic: payout.isAutomatic,
  };
}

function disputeOf({ context }: StandingJob): JobView['dispute'] {
  const { dispute, verdict, decideMs, isUndecided } = context;
  if (dispute === null) return null;
  const { by, reason, openedAtS, isRefundedByTime } = dispute;
  return {
    by,
    reason,
    verdict,
    is_undecided: isUndecided,
    verdict_due: instant(openedAtS * SECOND_MS + decideMs),
    on_silence: isRefundedByTime ? 'refunded' : 'held',
  };
}

function bindingOf(stamp: PayerStamp | null): JobView['payer_binding'] {
  if (stamp === null) return null;
  const { payer, registeredWallet, match } = stamp;
  return { payer, registered_wallet: registeredWallet, match };
}

const NOTHING = `0x${'00'.repeat(32)}`;
/** Moves that a party signs; zeros stand where the hash of its own words or bytes goes. */
const SIGNED: Readonly<Record<string, PartyMove>> = {
  fulfil: { move: 'fulfil', deliverable: NOTHING },
  release: { move: 'release' },
  release_late: { move: 'release' },
  dispute: { move: 'dispute', reason: NOTHING },
  withdraw_dispute: { move: 'withdrawDispute' },
  give_back: { move: 'giveBack' },
};

function typedData({ trust }: ViewDeps, { context }: StandingJob, { move }: PossibleMove) {
  const signed = SIGNED[move];
  if (context.escrowKey === null || signed === undefined) return {};
  return { typed_data: { ...trust.escrow.moveRequest(context.escrowKey, signed) } };
}
