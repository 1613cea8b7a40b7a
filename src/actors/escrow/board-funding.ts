import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import {
  createTermsId,
  type JobOrigin,
  jobIdFromKey,
  jobIdFromOrigin,
} from '../../domain/escrow/ids.ts';
import {
  checkAuthorization,
  createFundingOffer,
  createReceiveRequest,
  createTransferRequest,
  isBoundToTerms,
} from '../../domain/escrow/offers.ts';
import type { WalletCall, WorkOutcome } from '../../domain/escrow/work-board.ts';
import {
  FEE_BPS,
  type PaymentPayload,
  type PaymentRequirements,
} from '../../domain/payment/payment.ts';
import {
  isWrappedSignature,
  WRAPPED_SIGNATURE_MESSAGE,
} from '../../domain/wallet/wrapped-signature.ts';
import type { FundOrder, JobInput } from '../../machines/escrow/job-context.ts';
import { isInState, stateName } from '../../runtime/engine/snapshot.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import {
  BOARD_LIMITS,
  type BoardServices,
  chainRejectionError,
  createPayerStamp,
  moveUnavailableError,
  requireEscrowEnabled,
  requireExternalWallet,
  requireMinimumPrice,
  requireParty,
  waitForView,
  walletLimitError,
} from './board-common.ts';
import { readBid, requireOpen } from './board-requests.ts';
import { chainNowMs } from './escrow-effects.ts';
import { jobKind } from './kinds.ts';
import { findJob, type RequestActorState, readJobActor, readRequest } from './read-actors.ts';
import { createJobView } from './views.ts';

/** Accepts a bid and starts its job. */
export async function acceptBid(
  deps: BoardServices,
  bidId: string,
  payment: PaymentPayload | undefined,
  by: WalletCall,
): Promise<WorkOutcome> {
  const { request, bid } = await readBid(deps, bidId);
  const { provider, priceMicroUsd } = bid;
  if (bid.isWithdrawn && request.context.assigned?.bidId !== bidId) {
    requireParty(by, request.context.buyer, 'buyer');
    throw moveUnavailableError('withdrawn', [], 'The bid was withdrawn.');
  }
  return startJob(deps, { request, bidId, provider, priceMicroUsd }, payment, by);
}

/** Starts the job of a request that is addressed to one provider. */
export async function startRequestedJob(
  deps: BoardServices,
  requestId: string,
  payment: PaymentPayload | undefined,
  by: WalletCall,
): Promise<WorkOutcome> {
  const request = await readRequest(deps.engine, requestId);
  const { provider, budgetMicroUsd: priceMicroUsd } = request.context;
  if (provider === null) {
    requireParty(by, request.context.buyer, 'buyer');
    throw moveUnavailableError(
      request.state,
      [{ move: 'accept', by: 'buyer' }],
      'This request has no designated provider. Accept a bid instead.',
    );
  }
  return startJob(deps, { request, bidId: null, provider, priceMicroUsd }, payment, by);
}

interface JobStart {
  readonly request: RequestActorState;
  readonly bidId: string | null;
  readonly provider: string;
  readonly priceMicroUsd: string;
}

async function startJob(
  deps: BoardServices,
  beginning: JobStart,
  payment: PaymentPayload | undefined,
  by: WalletCall,
): Promise<WorkOutcome> {
  const { request, bidId } = beginning;
  const { context } = request;
  requireParty(by, context.buyer, 'buyer');
  if (context.assigned !== null && context.assigned.bidId === bidId) {
    return waitForFunding(deps, context.assigned.jobId);
  }
  requireOpen(deps, request);
  // Requests and bids of earlier versions accepted any address.
  requireExternalWallet(deps, 'buyer', context.buyer);
  requireExternalWallet(deps, 'provider', beginning.provider);
  await requireEscrowEnabled(deps, context.funding);
  requireOpenJobCapacity(deps, by.wallet);
  await requireMinimumPrice(deps, 'price', beginning.priceMicroUsd);
  const order = await planJob(deps, beginning);
  const { offer, input } = order;
  if (offer === undefined) return assignRequest(deps, beginning, input);
  if (payment === undefined) {
    return {
      kind: 'payment_required',
      payment: { requirements: offer, description: describeFunding(order.input) },
    };
  }
  const fund = await checkFunding(deps, payment, order);
  const payer = await createPayerStamp(deps, context.buyer, fund.authorization.from);
  return assignRequest(deps, beginning, { ...input, fund, payer });
}

interface JobPlan {
  readonly input: JobInput;
  /** The payment that the buyer must sign first; only in escrow. */
  readonly offer?: PaymentRequirements;
}

/** Plans the job. The same request state always gives the same plan. */
async function planJob(deps: BoardServices, beginning: JobStart): Promise<JobPlan> {
  const { trust, chain, clock } = deps;
  const { request, bidId, provider, priceMicroUsd } = beginning;
  const { requestId, buyer, funding, fulfilByS, attempts, src } = request.context;
  const origin: JobOrigin = { requestId, bidId, attempt: attempts };
  const now = clock.now();
  const from = funding === 'escrow' ? await chainNowMs(trust, now) : now;
  const shared = {
    funding,
    buyer,
    provider,
    priceMicroUsd,
    fulfilByS,
    requestId,
    bidId,
    src,
    fulfilMs: Math.max(0, fulfilByS * SECOND_MS - from),
    openedAt: now,
    fund: null,
    payer: null,
  };
  if (funding === 'on_release') {
    const jobId = jobIdFromOrigin(origin);
    return { input: { ...shared, jobId, feeBps: FEE_BPS, termsId: null, escrowKey: null } };
  }
  const { escrow: address } = trust.contracts;
  if (address === null) {
    throw new AppError('NOT_CONFIGURED', { message: 'This chain has no escrow contract.' });
  }
  const { feeBps } = trust.escrow;
  const termsId = createTermsId(origin);
  const terms = { jobId: termsId, buyer, provider, amount: priceMicroUsd, fulfilByS };
  const escrowKey = trust.escrow.computeKey(terms);
  const jobId = jobIdFromKey(escrowKey);
  const offer = createFundingOffer(chain.facts, {
    escrow: address,
    jobId,
    escrowKey,
    terms,
    feeBps,
  });
  return { input: { ...shared, jobId, feeBps, termsId, escrowKey }, offer };
}

/** @throws {AppError} a `PAYMENT_…` code, before any state changes */
async function checkFunding(
  deps: BoardServices,
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
  const isBound = isBoundToTerms(payment, input.escrowKey);
  await requireAuthorized(deps, payment, { offer, isBound });
  // A job that is already funded under this key spends no second authorization.
  const isFunded = (await trust.escrow.readJob(input.escrowKey)).state !== 'none';
  const missing = isFunded ? undefined : await chain.checkOnChain(payment);
  if (missing !== undefined) throw new AppError(missing.code, missing);
  return { authorization, signature, form: isBound ? 'terms' : 'exact' };
}

/**
 * @throws {AppError} a `PAYMENT_…` code if it does not fit the offer or its payer did not sign it
 */
async function requireAuthorized(
  { chain, trust, clock }: BoardServices,
  payment: PaymentPayload,
  { offer, isBound }: { readonly offer: PaymentRequirements; readonly isBound: boolean },
): Promise<void> {
  const now = clock.now();
  const fault = isBound
    ? checkAuthorization(payment, offer, Math.floor((await chainNowMs(trust, now)) / SECOND_MS))
    : chain.checkLocally(payment, offer, now);
  // The key signature is checked last; if only that fails, a contract may have signed.
  const isUnsigned = fault?.code === 'PAYMENT_FORGED';
  if (fault !== undefined && !isUnsigned) throw new AppError(fault.code, fault);
  if (fault === undefined && !isBound) return;
  const { authorization, signature } = payment.payload;
  if (isWrappedSignature(signature)) {
    throw new AppError('PAYMENT_MALFORMED', {
      message: WRAPPED_SIGNATURE_MESSAGE,
      data: { received: 'ERC-6492', allowed: ['key', 'ERC-1271'] },
    });
  }
  const asked = (isBound ? createReceiveRequest : createTransferRequest)(chain.facts, payment);
  const payer = authorization.from.toLowerCase();
  if (await trust.isSignedBy(payer, asked, signature)) return;
  throw new AppError('PAYMENT_FORGED', {
    data: { payer, signed: isBound ? 'terms' : 'payment' },
  });
}

/** Assigns the request and creates its job in one commit of the request's actor. */
async function assignRequest(
  deps: BoardServices,
  { request, bidId }: JobStart,
  job: JobInput,
): Promise<WorkOutcome> {
  const { engine } = deps;
  const { requestId, attempts: attempt } = request.context;
  const message = { type: 'REQUEST.ASSIGNED', bidId, attempt, job };
  try {
    await engine.tell(requestId, message).catch(ignoreClosed);
    const after = await readRequest(engine, requestId);
    const { assigned } = after.context;
    // If another call was first, its job for the same bid is the answer to both.
    if (assigned !== null && assigned.bidId === bidId && assigned.jobId !== job.jobId) {
      return await waitForFunding(deps, assigned.jobId);
    }
    if (assigned?.jobId !== job.jobId && (await findJob(engine, job.jobId)) === undefined) {
      requireOpen(deps, after);
      throw moveUnavailableError(after.state, [], 'This bid can no longer be accepted.');
    }
    // The request's message also creates the job; both use the same id and input.
    await engine.of(jobKind).create(job.jobId, job);
    return await waitForFunding(deps, job.jobId);
  } catch (thrown) {
    throw appErrorFromEngine(thrown);
  }
}

/** Waits until the escrow has the money, or has rejected it. */
async function waitForFunding(deps: BoardServices, jobId: string): Promise<WorkOutcome> {
  const isDecided = ({ value }: { readonly value: unknown }) =>
    !isInState(stateName(value), 'funded');
  const job = readJobActor(await waitForView(deps.engine.of(jobKind), jobId, isDecided));
  const { context, state } = job;
  if (isInState(state, 'unfunded')) {
    throw chainRejectionError(context.lastMove?.code ?? null, context.lastMove?.message ?? null);
  }
  const escrowed = context.facts.find(({ fact }) => fact === 'CHAIN.ESCROWED');
  const transaction = escrowed === undefined ? {} : { transaction: escrowed.transaction };
  return { kind: 'job', job: await createJobView(deps, job), ...transaction };
}

/** @throws {AppError} `FORBIDDEN` */
function requireOpenJobCapacity({ index }: BoardServices, wallet: string): void {
  const open = index.openJobs(wallet);
  if (open >= BOARD_LIMITS.openJobsPerWallet) {
    throw walletLimitError('open jobs', open, BOARD_LIMITS.openJobsPerWallet);
  }
}

function describeFunding({ jobId, provider }: JobInput): string {
  return `The budget of ${jobId}, held in escrow until ${provider} has delivered.`;
}

/** Ignores a request that has ended; its state is checked afterwards. */
function ignoreClosed(thrown: unknown): undefined {
  if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
  return undefined;
}
