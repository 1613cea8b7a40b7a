import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type JobOrigin, jobIdOfKey, jobIdOfOrigin, termsIdOf } from '../../domain/escrow/names.ts';
import {
  bindsTerms,
  fundingOffer,
  receiveFault,
  receiveRequest,
  transferRequest,
} from '../../domain/escrow/offers.ts';
import type { WalletCall, WorkOutcome } from '../../domain/escrow/work-board.ts';
import {
  FEE_BPS,
  type PaymentPayload,
  type PaymentRequirements,
} from '../../domain/payment/payment.ts';
import { isWrappedSignature, WRAPPED_REASON } from '../../domain/wallet/wrapped-signature.ts';
import type { FundOrder, JobInput } from '../../machines/escrow/job-facts.ts';
import { isInState, stateName } from '../../runtime/engine/snapshot.ts';
import { fromEngine, isEngineCode } from '../common/engine-error.ts';
import {
  BOARD,
  type BoardDeps,
  chainRefusal,
  requireEscrow,
  requireMinimum,
  requireOutsider,
  requireParty,
  settleView,
  stampOf,
  tooMany,
  unavailable,
  viewDeps,
} from './board-parts.ts';
import { readBid, requireOpen } from './board-requests.ts';
import { nowMs } from './escrow-effects.ts';
import { JOB_KIND } from './kinds.ts';
import { findJob, readRequest, type StandingRequest, standingJob } from './read.ts';
import { viewJob } from './views.ts';

/** Accepts a bid and starts its job. */
export async function acceptBid(
  deps: BoardDeps,
  bidId: string,
  payment: PaymentPayload | undefined,
  by: WalletCall,
): Promise<WorkOutcome> {
  const { request, bid } = await readBid(deps, bidId);
  const { provider, priceMicroUsd } = bid;
  if (bid.isWithdrawn && request.context.assigned?.bidId !== bidId) {
    requireParty(by, request.context.buyer, 'buyer');
    throw unavailable('withdrawn', [], 'The bid was withdrawn.');
  }
  return beginJob(deps, { request, bidId, provider, priceMicroUsd }, payment, by);
}

/** Starts the job of a request that is addressed to one provider. */
export async function beginRequest(
  deps: BoardDeps,
  requestId: string,
  payment: PaymentPayload | undefined,
  by: WalletCall,
): Promise<WorkOutcome> {
  const request = await readRequest(deps.engine, requestId);
  const { provider, budgetMicroUsd: priceMicroUsd } = request.context;
  if (provider === null) {
    requireParty(by, request.context.buyer, 'buyer');
    throw unavailable(
      request.state,
      [{ move: 'accept', by: 'buyer' }],
      'This request has no designated provider. Accept a bid instead.',
    );
  }
  return beginJob(deps, { request, bidId: null, provider, priceMicroUsd }, payment, by);
}

interface Beginning {
  readonly request: StandingRequest;
  readonly bidId: string | null;
  readonly provider: string;
  readonly priceMicroUsd: string;
}

async function beginJob(
  deps: BoardDeps,
  beginning: Beginning,
  payment: PaymentPayload | undefined,
  by: WalletCall,
): Promise<WorkOutcome> {
  const { request, bidId } = beginning;
  const { context } = request;
  requireParty(by, context.buyer, 'buyer');
  if (context.assigned !== null && context.assigned.bidId === bidId) {
    return begun(deps, context.assigned.jobId);
  }
  requireOpen(deps, request);
  // Requests and bids of earlier versions accepted any address.
  requireOutsider(deps, 'buyer', context.buyer);
  requireOutsider(deps, 'provider', beginning.provider);
  await requireEscrow(deps, context.funding);
  requireRoom(deps, by.wallet);
  await requireMinimum(deps, 'price', beginning.priceMicroUsd);
  const order = await orderOf(deps, beginning);
  const { offer, input } = order;
  if (offer === undefined) return assign(deps, beginning, input);
  if (payment === undefined) {
    return {
      kind: 'payment_required',
      payment: { requirements: offer, description: describe(order.input) },
    };
  }
  const fund = await checkedFund(deps, payment, order);
  const payer = await stampOf(deps, context.buyer, fund.authorization.from);
  return assign(deps, beginning, { ...input, fund, payer });
}

interface JobPlan {
  readonly input: JobInput;
  /** The payment that the buyer must sign first; only in escrow. */
  readonly offer?: PaymentRequirements;
}

/** Plans the job. The same request state always gives the same plan. */
async function orderOf(deps: BoardDeps, beginning: Beginning): Promise<JobPlan> {
  const { trust, chain, clock } = deps;
  const { request, bidId, provider, priceMicroUsd } = beginning;
  const { requestId, buyer, funding, fulfilByS, attempts, src } = request.context;
  const origin: JobOrigin = { requestId, bidId, attempt: attempts };
  const now = clock.now();
  const from = funding === 'escrow' ? await nowMs(trust, now) : now;
  const shared = {
    ...{ funding, buyer, provider, priceMicroUsd, fulfilByS, requestId, bidId, src },
    fulfilMs: Math.max(0, fulfilByS * SECOND_MS - from),
    openedAt: now,
    fund: null,
    payer: null,
  };
  if (funding === 'on_release') {
    const jobId = jobIdOfOrigin(origin);
    return { input: { ...shared, jobId, feeBps: FEE_BPS, termsId: null, escrowKey: null } };
  }
  const { escrow: address } = trust.contracts;
  if (address === null) {
    throw new AppError('NOT_CONFIGURED', { message: 'This chain has no escrow contract.' });
  }
  const { feeBps } = trust.escrow;
  const termsId = termsIdOf(origin);
  const terms = { jobId: termsId, buyer, provider, amount: priceMicroUsd, fulfilByS };
  const escrowKey = trust.escrow.keyOf(terms);
  const jobId = jobIdOfKey(escrowKey);
  const offer = fundingOffer(chain.facts, { escrow: address, jobId, escrowKey, terms, feeBps });
  return { input: { ...shared, jobId, feeBps, termsId, escrowKey }, offer };
}

/** @throws {AppError} a `PAYMENT_…` code, before any state changes */
async function checkedFund(
  deps: BoardDeps,
  payment: PaymentPayload,
  { input, offer }: JobPlan,
): Promise<FundOrder> {
  const { chain, trust } = deps;
  const { authorization, signature } = payment.payload;
  if (authorization.from.toLowerCase() !== input.buyer) {
    throw new AppError('NOT_THE_PARTY', {
      message: 'The wallet that posted the request must pay the budget.',
      data: { received: authorization.from, allowed: input.buyer, role: 'buyer' },
    });
  }
  if (offer === undefined || input.escrowKey === null) throw new AppError('INVARIANT');
  const isBound = bindsTerms(payment, input.escrowKey);
  await requireAuthorized(deps, payment, { offer, isBound });
  // A job that is already funded under this key spends no second authorization.
  const isFunded = (await trust.escrow.job(input.escrowKey)).state !== 'none';
  const missing = isFunded ? undefined : await chain.checkOnChain(payment);
  if (missing !== undefined) throw new AppError(missing.code, missing);
  return { authorization, signature, form: isBound ? 'terms' : 'exact' };
}

/**
 * @throws {AppError} a `PAYMENT_…` code if it does not fit the offer or its payer did not sign it
 */
async function requireAuthorized(
  { chain, trust, clock }: BoardDeps,
  payment: PaymentPayload,
  { offer, isBound }: { readonly offer: PaymentRequirements; readonly isBound: boolean },
): Promise<void> {
  const now = clock.now();
  const fault = isBound
    ? receiveFault(payment, offer, Math.floor((await nowMs(trust, now)) / SECOND_MS))
    : chain.checkLocally(payment, offer, now);
  // The key signature is checked last; if only that fails, a contract may have signed.
  const isUnsigned = fault?.code === 'PAYMENT_FORGED';
  if (fault !== undefined && !isUnsigned) throw new AppError(fault.code, fault);
  if (fault === undefined && !isBound) return;
  const { authorization, signature } = payment.payload;
  if (isWrappedSignature(signature)) {
    throw new AppError('PAYMENT_MALFORMED', {
      message: WRAPPED_REASON,
      data: { received: 'ERC-6492', allowed: ['key', 'ERC-1271'] },
    });
  }
  const asked = (isBound ? receiveRequest : transferRequest)(chain.facts, payment);
  const payer = authorization.from.toLowerCase();
  if (await trust.isSignedBy(payer, asked, signature)) return;
  throw new AppError('PAYMENT_FORGED', {
    data: { payer, signed: isBound ? 'terms' : 'payment' },
  });
}

/** Assigns the request and creates its job in one commit of the request's actor. */
async function assign(
  deps: BoardDeps,
  { request, bidId }: Beginning,
  job: JobInput,
): Promise<WorkOutcome> {
  const { engine } = deps;
  const { requestId, attempts: attempt } = request.context;
  const message = { type: 'REQUEST.ASSIGNED', bidId, attempt, job };
  try {
    await engine.tell(requestId, message).catch(unlessEnded);
    const after = await readRequest(engine, requestId);
    const { assigned } = after.context;
    // If another call was first, its job for the same bid is the answer to both.
    if (assigned !== null && assigned.bidId === bidId && assigned.jobId !== job.jobId) {
      return await begun(deps, assigned.jobId);
    }
    if (assigned?.jobId !== job.jobId && (await findJob(engine, job.jobId)) === undefined) {
      requireOpen(deps, after);
      throw unavailable(after.state, [], 'This bid can no longer be accepted.');
    }
    // The request's message also creates the job; both use the same id and input.
    await engine.create(JOB_KIND, job.jobId, job);
    return await begun(deps, job.jobId);
  } catch (thrown) {
    throw fromEngine(thrown);
  }
}

/** Waits until the escrow has the money, or has rejected it. */
async function begun(deps: BoardDeps, jobId: string): Promise<WorkOutcome> {
  const { engine } = deps;
  const isDecided = ({ value }: { readonly value: unknown }) =>
    !isInState(stateName(value), 'funded');
  const job = standingJob(await settleView(engine, jobId, isDecided));
  const { context, state } = job;
  if (isInState(state, 'unfunded')) {
    throw chainRefusal(context.lastMove?.code ?? null, context.lastMove?.message ?? null);
  }
  const escrowed = context.facts.find(({ fact }) => fact === 'CHAIN.ESCROWED');
  const transaction = escrowed === undefined ? {} : { transaction: escrowed.transaction };
  return { kind: 'job', job: await viewJob(viewDeps(deps), job), ...transaction };
}

/** @throws {AppError} `OVERLOADED` */
function requireRoom({ index }: BoardDeps, wallet: string): void {
  const open = index.openJobs(wallet);
  if (open >= BOARD.openJobsPerWallet) {
    throw tooMany('open jobs', open, BOARD.openJobsPerWallet);
  }
}

function describe({ jobId, provider }: JobInput): string {
  return `The budget of ${jobId}, held in escrow until ${provider} has delivered.`;
}

/** Ignores a request that has ended; its state is checked afterwards. */
function unlessEnded(thrown: unknown): undefined {
  if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
  return undefined;
}
