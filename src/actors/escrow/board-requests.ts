import { AppError } from '../../domain/common/error.ts';
import { formatUsd, MicroUsdText } from '../../domain/common/money.ts';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import {
  createBidId,
  createRequestId,
  parseRequestId,
  requestIdPrefix,
} from '../../domain/escrow/ids.ts';
import {
  computeNegotiation,
  SEALED_NEGOTIATION_MIN_MICRO_USD,
} from '../../domain/escrow/negotiation.ts';
import type { BidRecord, SealedNegotiation } from '../../domain/escrow/records.ts';
import { type BidView, type RequestView, WORK_LIMITS } from '../../domain/escrow/work.ts';
import type { NewBid, NewRequest, WalletCall, WorkPage } from '../../domain/escrow/work-board.ts';
import { BIDS_MAX, type RequestInput } from '../../machines/escrow/request-context.ts';
import type { Ev } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import { tellOnce } from '../common/tell-once.ts';
import {
  BOARD_LIMITS,
  type BoardServices,
  invalidInputError,
  moveUnavailableError,
  overloadedError,
  requireEscrowEnabled,
  requireExternalWallet,
  requireMinimumPrice,
  requireParty,
  walletLimitError,
} from './board-common.ts';
import { chainNowMs } from './escrow-effects.ts';
import { requestKind } from './kinds.ts';
import { type RequestActorState, readRequest } from './read-actors.ts';
import { createBidView, createRequestView } from './views.ts';

/** Posts a request. Repeating the call returns the same request. */
export async function postRequest(
  deps: BoardServices,
  order: NewRequest,
  by: WalletCall,
): Promise<RequestView> {
  const { engine, blobs, clock } = deps;
  assertValidRequest(deps, order, by);
  const requestId = createRequestId(order.capabilityId, by.key);
  if (await isNew(deps, requestId)) {
    await requireEscrowEnabled(deps, order.funding);
    requireRequestCapacity(deps, by.wallet);
    await requireMinimumPrice(deps, 'budget', order.budgetMicroUsd);
  }
  const now = clock.now();
  // Escrow deadlines follow the chain clock.
  const from = order.funding === 'escrow' ? await chainNowMs(deps.trust, now) : now;
  const input: RequestInput = {
    requestId,
    buyer: by.wallet,
    capabilityId: order.capabilityId,
    taskSha: await blobs.put(order.taskDescription),
    budgetMicroUsd: order.budgetMicroUsd,
    funding: order.funding,
    provider: order.provider ?? null,
    postedAt: now,
    openMs: order.openMs,
    fulfilByS: Math.ceil((from + order.openMs + order.fulfilMs) / SECOND_MS),
    src: by.src ?? null,
  };
  await withAppErrors(engine.of(requestKind).create(requestId, input));
  return createRequestView(deps, await readRequest(engine, requestId));
}

/** Lists open requests, of one capability or of all. */
export async function listOpenRequests(
  deps: BoardServices,
  options: { readonly capabilityId?: string; readonly cursor?: string; readonly limit: number },
): Promise<WorkPage<RequestView>> {
  const { capabilityId, cursor, limit } = options;
  const page = await withAppErrors(
    deps.engine.list({
      kind: requestKind.kind,
      state: 'listed.open',
      limit,
      ...(capabilityId === undefined ? {} : { prefix: requestIdPrefix(capabilityId) }),
      ...(cursor === undefined ? {} : { cursor: `${requestKind.kind}\n${cursor}` }),
    }),
  );
  const rows: RequestView[] = [];
  for (const { id } of page.rows) {
    const request = await readRequest(deps.engine, id);
    const isAsked = capabilityId === undefined || request.context.capabilityId === capabilityId;
    if (request.state === 'open' && isAsked) rows.push(createRequestView(deps, request));
  }
  return { rows, cursor: page.cursor?.split('\n')[1] ?? null };
}

/** Withdraws a request from the board. */
export async function withdrawRequest(
  deps: BoardServices,
  requestId: string,
  by: WalletCall,
): Promise<RequestView> {
  const request = await readRequest(deps.engine, requestId);
  requireParty(by, request.context.buyer, 'buyer');
  const isDone = ({ state }: RequestActorState) => state === 'withdrawn';
  if (!isDone(request)) {
    requireOpen(deps, request);
    await sendEvent(deps, requestId, { type: 'REQUEST.WITHDRAWN' }, by);
  }
  const after = await readRequest(deps.engine, requestId);
  if (!isDone(after)) requireOpen(deps, after);
  return createRequestView(deps, after);
}

/** Places a bid. Repeating the call returns the same bid. */
export async function placeBid(
  deps: BoardServices,
  requestId: string,
  bid: NewBid,
  by: WalletCall,
): Promise<BidView> {
  const { engine, clock, passports } = deps;
  const request = await readRequest(engine, requestId);
  const bidId = createBidId(requestId, by.key);
  if (request.context.bids.every((row) => row.bidId !== bidId)) {
    assertValidBid(deps, request, bid, by);
    await requireMinimumPrice(deps, 'price', bid.priceMicroUsd);
    const record: BidRecord = {
      bidId,
      provider: by.wallet,
      providerAgent: (await passports.find(by.wallet))?.agent_id ?? null,
      priceMicroUsd: bid.priceMicroUsd,
      noteSha: await deps.blobs.put(bid.note),
      at: clock.now(),
      isWithdrawn: false,
      sealed: await negotiateSealed(deps, request, bid),
    };
    await sendEvent(deps, requestId, { type: 'BID.PLACED', bid: record }, by);
  }
  const after = await readRequest(engine, requestId);
  const placed = after.context.bids.find((row) => row.bidId === bidId);
  if (placed === undefined) throw requestUnavailableError(deps, after);
  return createBidView(deps, after, placed);
}

/** Withdraws a bid that has not been accepted. */
export async function withdrawBid(
  deps: BoardServices,
  bidId: string,
  by: WalletCall,
): Promise<BidView> {
  const { request, bid } = await readBid(deps, bidId);
  requireParty(by, bid.provider, 'bidder');
  const { requestId } = request.context;
  if (!bid.isWithdrawn) {
    requireOpen(deps, request);
    await sendEvent(deps, requestId, { type: 'BID.WITHDRAWN', bidId }, by);
  }
  const after = await readBid(deps, bidId);
  if (!after.bid.isWithdrawn) throw requestUnavailableError(deps, after.request);
  return createBidView(deps, after.request, after.bid);
}

/**
 * Returns a bid with its request.
 *
 * @throws {AppError} `BID_UNKNOWN`
 */
export async function readBid(
  deps: Pick<BoardServices, 'engine'>,
  bidId: string,
): Promise<{ readonly request: RequestActorState; readonly bid: BidRecord }> {
  const requestId = parseRequestId(bidId);
  const request =
    requestId === undefined
      ? undefined
      : await readRequest(deps.engine, requestId).catch(ignoreUnknown);
  const bid = request?.context.bids.find((row) => row.bidId === bidId);
  if (request === undefined || bid === undefined) {
    throw new AppError('BID_UNKNOWN', { data: { received: bidId } });
  }
  return { request, bid };
}

/** @throws {AppError} `MOVE_UNAVAILABLE` unless the request is open. */
export function requireOpen(deps: BoardServices, request: RequestActorState): void {
  if (request.state !== 'open') throw requestUnavailableError(deps, request);
}

function requestUnavailableError(deps: BoardServices, request: RequestActorState): AppError {
  return moveUnavailableError(request.state, createRequestView(deps, request).moves);
}

/** @throws {AppError} `INPUT_INVALID`, `NOT_CONFIGURED` */
function assertValidRequest(deps: BoardServices, order: NewRequest, by: WalletCall): void {
  const { trust } = deps;
  const { budgetMicroUsd, capabilityId, taskDescription, provider } = order;
  if (!MicroUsdText.safeParse(budgetMicroUsd).success || BigInt(budgetMicroUsd) === 0n) {
    throw invalidInputError('budget', budgetMicroUsd, 'more than zero');
  }
  for (const [path, text, most] of [
    ['capability_id', capabilityId, WORK_LIMITS.capabilityCharsMax],
    ['task_description', taskDescription, WORK_LIMITS.taskCharsMax],
  ] as const) {
    if (text.length < 1 || text.length > most) {
      throw invalidInputError(path, text.length, `1 to ${most} characters`);
    }
  }
  for (const [path, ms] of [
    ['open_hours', order.openMs],
    ['fulfil_hours', order.fulfilMs],
  ] as const) {
    const most = WORK_LIMITS.hoursMax * HOUR_MS;
    if (!(ms > 0 && ms <= most))
      throw invalidInputError(path, ms / HOUR_MS, `up to ${WORK_LIMITS.hoursMax}`);
  }
  if (provider === by.wallet)
    throw invalidInputError('provider', provider, 'a wallet other than the buyer');
  requireExternalWallet(deps, 'buyer', by.wallet);
  if (provider !== undefined) requireExternalWallet(deps, 'provider', provider);
  if (order.funding === 'escrow' && trust.contracts.escrow === null) {
    throw new AppError('NOT_CONFIGURED', { message: 'This chain has no escrow contract.' });
  }
}

/** @throws {AppError} `FORBIDDEN` at the limit of the wallet, `OVERLOADED` at that of the board */
function requireRequestCapacity({ index }: BoardServices, wallet: string): void {
  const own = index.openRequests(wallet);
  if (own >= BOARD_LIMITS.openRequestsPerWallet) {
    throw walletLimitError('open requests', own, BOARD_LIMITS.openRequestsPerWallet);
  }
  const all = index.openRequests();
  if (all >= BOARD_LIMITS.openRequestsInAll) {
    throw overloadedError('The board is full', all, BOARD_LIMITS.openRequestsInAll);
  }
}

/**
 * @throws {AppError} `MOVE_UNAVAILABLE`, `NOT_THE_PARTY`, `INPUT_INVALID`, `FORBIDDEN`,
 * `OVERLOADED`
 */
function assertValidBid(
  deps: BoardServices,
  request: RequestActorState,
  bid: NewBid,
  by: WalletCall,
): void {
  const { buyer, provider, bids, budgetMicroUsd } = request.context;
  requireOpen(deps, request);
  requireExternalWallet(deps, 'provider', by.wallet);
  if (by.wallet === buyer) {
    throw new AppError('NOT_THE_PARTY', {
      message: 'The buyer cannot bid on its own request.',
      data: { received: by.wallet, allowed: 'any other wallet' },
    });
  }
  if (provider !== null) {
    throw requestUnavailableError(deps, request);
  }
  const price = BigInt(bid.priceMicroUsd);
  if (price === 0n || price > BigInt(budgetMicroUsd)) {
    throw invalidInputError('price_usd', formatUsd(price), {
      above: '0.00',
      up_to: formatUsd(BigInt(budgetMicroUsd)),
    });
  }
  if (bid.note.length > WORK_LIMITS.noteCharsMax) {
    throw invalidInputError(
      'note',
      bid.note.length,
      `up to ${WORK_LIMITS.noteCharsMax} characters`,
    );
  }
  const own = bids.filter((row) => row.provider === by.wallet);
  if (own.some(({ isWithdrawn }) => !isWithdrawn)) {
    throw moveUnavailableError(
      request.state,
      [{ move: 'withdraw_bid', by: 'bidder' }],
      'This wallet has an open bid on this request. Withdraw it first.',
    );
  }
  if (own.length >= BIDS_MAX.perWallet) {
    throw walletLimitError('bids on this request', own.length, BIDS_MAX.perWallet);
  }
  if (bids.length >= BIDS_MAX.inAll) {
    throw overloadedError('The request has reached its bid limit', bids.length, BIDS_MAX.inAll);
  }
}

/** Runs the sealed negotiation in shadow mode for large deals. Its result has no effect. */
async function negotiateSealed(
  { controls }: BoardServices,
  { context: { budgetMicroUsd } }: RequestActorState,
  { sealed }: NewBid,
): Promise<SealedNegotiation | null> {
  if (sealed === undefined || BigInt(budgetMicroUsd) < SEALED_NEGOTIATION_MIN_MICRO_USD)
    return null;
  if ((await controls.readLabel('sealed-bid-negotiation')) === 'OFF') return null;
  return computeNegotiation(budgetMicroUsd, sealed);
}

async function isNew({ engine }: BoardServices, requestId: string): Promise<boolean> {
  return (await readRequest(engine, requestId).catch(ignoreUnknown)) === undefined;
}

async function sendEvent(
  { engine }: BoardServices,
  id: string,
  event: Ev,
  by: WalletCall,
): Promise<void> {
  try {
    await tellOnce(engine, id, event, by.key);
  } catch (thrown) {
    // The request has ended; its state shows that the event was not accepted.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw appErrorFromEngine(thrown);
  }
}

async function withAppErrors<Answer>(operation: Promise<Answer>): Promise<Answer> {
  try {
    return await operation;
  } catch (thrown) {
    throw appErrorFromEngine(thrown);
  }
}

function ignoreUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'REQUEST_UNKNOWN') return undefined;
  throw thrown;
}
