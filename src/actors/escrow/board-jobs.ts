import { createHash } from 'node:crypto';
import type { PartyMove } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { createReleaseOffer } from '../../domain/escrow/offers.ts';
import type { StoredDeliverable } from '../../domain/escrow/records.ts';
import { type JobView, WORK_LIMITS } from '../../domain/escrow/work.ts';
import type { WalletCall, WorkOutcome, WorkPage } from '../../domain/escrow/work-board.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { Ev } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import { tellOnce } from '../common/tell-once.ts';
import { derivePaymentKey } from '../payment/presented-payment.ts';
import {
  type BoardServices,
  callHash,
  chainRejectionError,
  createPayerStamp,
  invalidInputError,
  moveUnavailableError,
  requireParty,
  waitForView,
} from './board-common.ts';
import { jobKind } from './kinds.ts';
import {
  findJob,
  type JobActorState,
  type JobActorView,
  readJob,
  readJobActor,
} from './read-actors.ts';
import { releaseCall } from './release-effects.ts';
import { createJobView, possibleMoves } from './views.ts';

/** Returns a job. */
export async function getJob(deps: BoardServices, jobId: string): Promise<JobView> {
  const job = await readJob(deps.engine, jobId);
  const { escrowKey } = job.context;
  if (escrowKey === null || deps.unclaimed.owedEnd(escrowKey) === undefined) {
    return createJobView(deps, job);
  }
  // The party may have withdrawn its money since. If the chain is down, the last known state is
  // shown.
  await deps.unclaimed.deliver(escrowKey, jobId).catch(() => undefined);
  return createJobView(deps, await readJob(deps.engine, jobId));
}

/** Lists jobs, newest first. */
export async function listJobs(
  deps: BoardServices,
  options: { readonly wallet?: string; readonly cursor?: string; readonly limit: number },
): Promise<WorkPage<JobView>> {
  await deps.index.waitUntilCurrent();
  const page = deps.index.jobs(options);
  const rows: JobView[] = [];
  for (const { jobId } of page.rows) {
    const job = await findJob(deps.engine, jobId);
    if (job !== undefined) rows.push(await createJobView(deps, job));
  }
  return { rows, cursor: page.cursor };
}

/** A party's move: the event for the machine and the on-chain move that the party signed. */
interface MoveRequest {
  readonly jobId: string;
  readonly role: 'buyer' | 'provider';
  /** Name of the move in the API. */
  readonly move: string;
  readonly signed: PartyMove;
  readonly signature: string | undefined;
  readonly event: Ev;
}

/** A deliverable from a provider, with its signature of the on-chain move. */
export interface DeliverableSubmission {
  readonly deliverable: Uint8Array;
  readonly mimeType: string;
  readonly signature: string | undefined;
}

/** Submits the deliverable of a job. */
export async function fulfilJob(
  deps: BoardServices,
  jobId: string,
  work: DeliverableSubmission,
  by: WalletCall,
): Promise<JobView> {
  const { deliverable, mimeType, signature } = work;
  if (deliverable.length === 0 || deliverable.length > WORK_LIMITS.deliverableBytesMax) {
    const allowed = `1 to ${WORK_LIMITS.deliverableBytesMax} bytes`;
    throw invalidInputError('deliverable', deliverable.length, allowed);
  }
  const sha256 = createHash('sha256').update(deliverable).digest('hex');
  const job = await readJob(deps.engine, jobId);
  requireParty(by, job.context.provider, 'provider');
  // A repeat waits like the first call, so that it also sees a rejection.
  if (isRepeat(job, by)) return createJobView(deps, await waitForMove(deps, jobId, by));
  const signed: PartyMove = { move: 'fulfil', deliverable: `0x${sha256}` };
  await requireMoveAllowed(deps, job, 'fulfil');
  await requireSignature(deps, job, { party: job.context.provider, signed, signature });
  const at = deps.clock.now();
  return withQuota(deps, job, { bytes: deliverable.length, at }, async () => {
    const blobSha = await deps.blobs.put(Buffer.from(deliverable).toString('base64'));
    const held: StoredDeliverable = { sha256, mimeType, bytes: deliverable.length, blobSha };
    const event = {
      type: 'WORK.DELIVERED',
      deliverableSha: sha256,
      held,
      at,
      ...(signature === undefined ? {} : { signature }),
    };
    return submitMove(
      deps,
      { jobId, role: 'provider', move: 'fulfil', signed, signature, event },
      by,
    );
  });
}

/** Reserves quota for work that nobody has paid for yet; releases it if the call fails. */
async function withQuota<Done>(
  { engine, index: { quota } }: BoardServices,
  { context: { jobId, funding, provider } }: JobActorState,
  work: { readonly bytes: number; readonly at: number },
  submit: () => Promise<Done>,
): Promise<Done> {
  if (funding !== 'on_release') return submit();
  quota.reserve({ jobId, provider, ...work });
  try {
    return await submit();
  } catch (thrown) {
    const after = await findJob(engine, jobId).catch(() => null);
    // If the state cannot be read, the quota stays reserved until the next start.
    if (after === undefined || after?.context.deliverable === null) quota.release(jobId);
    else if (after !== null) quota.update(after.context, after.state === 'released');
    throw thrown;
  }
}

/** Releases the money: with the buyer's signature in escrow, else with a payment. */
export async function completeJob(
  deps: BoardServices,
  jobId: string,
  proof: { readonly moveSignature?: string; readonly payment?: PaymentPayload },
  by: WalletCall,
): Promise<WorkOutcome> {
  const job = await readJob(deps.engine, jobId);
  const { context } = job;
  requireParty(by, context.buyer, 'buyer');
  if (context.funding === 'escrow') {
    const signed: PartyMove = { move: 'release' };
    const signature = proof.moveSignature;
    const event = signature === undefined ? {} : { signature };
    const request = { jobId, role: 'buyer', move: 'release', signed, signature } as const;
    const after = await submitMove(
      deps,
      { ...request, event: { type: 'JOB.COMPLETED', ...event } },
      by,
    );
    return workOutcome(after);
  }
  if (isRepeat(job, by)) return workOutcome(await waitForPayout(deps, jobId, by));
  await requireMoveAllowed(deps, job, context.isLate ? 'release_late' : 'release');
  const offer = createReleaseOffer(deps.chain.facts, { ...context, amount: context.priceMicroUsd });
  const { payment } = proof;
  if (payment === undefined) {
    const description = `The price of ${jobId}. ${context.provider} receives it minus the fee.`;
    return { kind: 'payment_required', payment: { requirements: offer, description } };
  }
  const fault =
    (await deps.chain.check(payment, offer, deps.clock.now())) ??
    (await deps.chain.checkOnChain(payment));
  if (fault !== undefined) throw new AppError(fault.code, fault);
  const accepted = { ...payment, accepted: offer };
  const { paymentId } = derivePaymentKey(accepted, releaseCall(jobId, offer));
  const payer = await createPayerStamp(deps, context.buyer, payment.payload.authorization.from);
  await sendEvent(deps, jobId, by, {
    type: 'JOB.COMPLETED',
    payment: accepted,
    paymentId,
    call: callHash(by),
    ...(payer === null ? {} : { payer }),
  });
  return workOutcome(await waitForPayout(deps, jobId, by));
}

/** Opens a dispute on an escrowed job. */
export async function disputeJob(
  deps: BoardServices,
  jobId: string,
  { reason, signature }: { readonly reason: string; readonly signature: string | undefined },
  by: WalletCall,
): Promise<JobView> {
  if (reason.length < 1 || reason.length > WORK_LIMITS.reasonCharsMax) {
    throw invalidInputError(
      'reason',
      reason.length,
      `1 to ${WORK_LIMITS.reasonCharsMax} characters`,
    );
  }
  const reasonHash = `0x${sha256Hex(reason)}`;
  const signed: PartyMove = { move: 'dispute', reason: reasonHash };
  const event = { type: 'DISPUTE.OPENED', by: by.wallet, reason, reasonHash };
  return submitMove(
    deps,
    {
      jobId,
      role: 'buyer',
      move: 'dispute',
      signed,
      signature,
      event: signedEvent(event, signature),
    },
    by,
  );
}

/** Withdraws a dispute. */
export function withdrawJobDispute(
  deps: BoardServices,
  jobId: string,
  signature: string | undefined,
  by: WalletCall,
): Promise<JobView> {
  const event = signedEvent({ type: 'DISPUTE.WITHDRAWN' }, signature);
  const signed: PartyMove = { move: 'withdrawDispute' };
  const move = 'withdraw_dispute';
  return submitMove(deps, { jobId, role: 'buyer', move, signed, signature, event }, by);
}

/** Refunds the buyer on the provider's own decision. */
export function refundJob(
  deps: BoardServices,
  jobId: string,
  signature: string | undefined,
  by: WalletCall,
): Promise<JobView> {
  const event = signedEvent({ type: 'JOB.GIVEN_BACK' }, signature);
  const signed: PartyMove = { move: 'giveBack' };
  return submitMove(
    deps,
    { jobId, role: 'provider', move: 'give_back', signed, signature, event },
    by,
  );
}

/** Decides a dispute as the arbiter. */
export async function decideJob(
  deps: BoardServices,
  jobId: string,
  verdict: { readonly upheld: 'provider' | 'buyer'; readonly why: string },
): Promise<JobView> {
  const { upheld, why } = verdict;
  if (why.length < 1 || why.length > WORK_LIMITS.reasonCharsMax) {
    throw invalidInputError('why', why.length, `1 to ${WORK_LIMITS.reasonCharsMax} characters`);
  }
  const job = await readJob(deps.engine, jobId);
  const verdictHash = `0x${sha256Hex(why)}`;
  const by: WalletCall = { wallet: 'operator', key: `verdict:${jobId}:${upheld}:${verdictHash}` };
  if (!isRepeat(job, by)) {
    await requireMoveAllowed(deps, job, 'decide');
    const event = { type: 'DISPUTE.DECIDED', upheld, why, verdictHash, call: callHash(by) };
    await sendEvent(deps, jobId, by, event);
  }
  return createJobView(deps, await waitForMove(deps, jobId, by));
}

/** Returns the deliverable: to the provider at any time, to the buyer after release. */
export async function readDeliverable(
  deps: BoardServices,
  jobId: string,
  by: WalletCall,
): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }> {
  const { context, state } = await readJob(deps.engine, jobId);
  const { buyer, provider, deliverable, deliverableSha } = context;
  if (by.wallet !== provider) requireParty(by, buyer, 'buyer or the provider');
  const text = deliverable === null ? undefined : deps.blobs.get(deliverable.blobSha);
  const isDelivered = deliverable !== null && deliverable.sha256 === deliverableSha;
  const isReleased = state === 'released' && isDelivered;
  if (text === undefined || deliverable === null || !(isReleased || by.wallet === provider)) {
    throw new AppError('DELIVERABLE_HELD', {
      ...(state === 'released' ? { message: 'This job has no deliverable.' } : {}),
      data: { state, deliverable_sha256: deliverableSha },
    });
  }
  return { bytes: Buffer.from(text, 'base64'), mimeType: deliverable.mimeType };
}

/** Checks a party's move, sends it to the machine, and waits for the chain's answer. */
async function submitMove(
  deps: BoardServices,
  asking: MoveRequest,
  by: WalletCall,
): Promise<JobView> {
  const { jobId, role, move, signed, signature, event } = asking;
  const job = await readJob(deps.engine, jobId);
  const party = job.context[role];
  requireParty(by, party, role);
  if (!isRepeat(job, by)) {
    await requireMoveAllowed(deps, job, move);
    await requireSignature(deps, job, { party, signed, signature });
    await sendEvent(deps, jobId, by, { ...event, call: callHash(by) });
  }
  return createJobView(deps, await waitForMove(deps, jobId, by));
}

/** Waits until the call's move is confirmed or rejected on the chain. */
async function waitForMove(
  deps: BoardServices,
  jobId: string,
  by: WalletCall,
): Promise<JobActorState> {
  const call = callHash(by);
  const isAnswered = ({ context }: JobActorView) => context.pending?.call !== call;
  const job = readJobActor(await waitForView(deps.engine.of(jobKind), jobId, isAnswered));
  return assertAccepted(deps, job, call);
}

async function waitForPayout(deps: BoardServices, jobId: string, by: WalletCall): Promise<JobView> {
  const call = callHash(by);
  const isAnswered = ({ context }: JobActorView) => context.payment?.call !== call;
  const job = readJobActor(await waitForView(deps.engine.of(jobKind), jobId, isAnswered));
  return createJobView(deps, await assertAccepted(deps, job, call));
}

async function assertAccepted(
  deps: BoardServices,
  job: JobActorState,
  call: string,
): Promise<JobActorState> {
  const { lastMove, calls } = job.context;
  if (lastMove?.call === call && lastMove.isRefused) {
    throw chainRejectionError(lastMove.code, lastMove.message);
  }
  // Another move came first, so the machine did not accept this one.
  if (!calls.includes(call)) throw moveUnavailableError(job.state, await possibleMoves(deps, job));
  return job;
}

function isRepeat({ context }: JobActorState, by: WalletCall): boolean {
  return context.calls.includes(callHash(by));
}

/** @throws {AppError} `MOVE_UNAVAILABLE` */
async function requireMoveAllowed(
  deps: BoardServices,
  job: JobActorState,
  asked: string,
): Promise<void> {
  const moves = await possibleMoves(deps, job);
  if (moves.some(({ move }) => move === asked)) return;
  throw moveUnavailableError(job.state, moves);
}

/** @throws {AppError} `MOVE_UNSIGNED` with the typed data to sign */
async function requireSignature(
  { trust }: BoardServices,
  { context }: JobActorState,
  asked: {
    readonly party: string;
    readonly signed: PartyMove;
    readonly signature: string | undefined;
  },
): Promise<void> {
  if (context.escrowKey === null) return;
  const { party, signed, signature } = asked;
  const request = trust.escrow.createMoveRequest(context.escrowKey, signed);
  if (signature !== undefined && (await trust.isSignedBy(party, request, signature))) return;
  throw new AppError('MOVE_UNSIGNED', {
    data: { received: signature ?? null, signer: party, typed_data: request },
  });
}

async function sendEvent(
  deps: BoardServices,
  jobId: string,
  by: WalletCall,
  event: Ev,
): Promise<void> {
  try {
    await tellOnce(deps.engine, jobId, event, by.key);
  } catch (thrown) {
    // The job has ended; its state shows that the move was not accepted.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw appErrorFromEngine(thrown);
  }
}

function workOutcome(job: JobView): WorkOutcome {
  const transaction = job.payout === null ? {} : { transaction: job.payout.transaction };
  return { kind: 'job', job, ...transaction };
}

function signedEvent(event: Ev, signature: string | undefined): Ev {
  return signature === undefined ? event : { ...event, signature };
}
