import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { ToolResult } from '../../domain/tool/tool.ts';
import { errorResult } from '../../domain/tool/tool-result.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import { type PaymentsDeps, settleDown } from './flight.ts';
import type { PaidAnswer, PaidCall } from './paid-call.ts';
import { type StandingPayment, stateOf } from './record.ts';
import { faultOfPayment, settlementOf, unsettled } from './settlement.ts';

/** Longest wait for a payment to process its finished job, in milliseconds. */
const HEAR_WAIT_MS = 10 * SECOND_MS;

/** Returns the result that a payment bought, or the reason why it was refused. */
export async function answer(
  deps: PaymentsDeps,
  call: PaidCall,
  payment: StandingPayment,
): Promise<PaidAnswer> {
  switch (payment.isStuck ? 'unknown' : payment.state) {
    case 'settled':
    case 'closed':
    case 'refunding':
    case 'refund_due':
    case 'refunded':
      return paid(deps, call, payment);
    case 'released':
      return released(deps.blobs, payment);
    case 'challenged':
    case 'verified':
    case 'settling':
    case 'unknown':
    case 'failed':
    case 'refused':
      return refused(payment);
  }
}

async function paid(
  deps: PaymentsDeps,
  call: PaidCall,
  payment: StandingPayment,
): Promise<PaidAnswer> {
  const { paymentId, payer, jobId, resultSha } = payment.record;
  if (jobId === null) {
    const kept = resultSha === null ? unfinished() : stored(deps.blobs, resultSha);
    const isEarned = payment.state === 'closed' && kept.isError !== true;
    const result = isEarned
      ? ((await call.finish?.({ paymentId, payer: payer.toLowerCase() }, kept)) ?? kept)
      : kept;
    return { kind: 'answered', result, ...(await settlementPart(deps, payment)) };
  }
  const result = await call.run({ paymentId, payer: payer.toLowerCase(), jobId });
  return { kind: 'answered', result, ...(await settlementPart(deps, await heard(deps, payment))) };
}

/** Returns the payment after it has processed its finished job, which may start a refund. */
async function heard(deps: PaymentsDeps, { record }: StandingPayment): Promise<StandingPayment> {
  const { paymentId, jobId } = record;
  if (jobId !== null && (await hasEnded(deps.engine, jobId))) {
    const until = ({ value }: Pick<View, 'value'>) => stateOf({ value }) !== 'settled';
    await deps.engine
      .waitFor(paymentId, until, { timeoutMs: HEAR_WAIT_MS })
      .catch((thrown: unknown) => {
        if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
      });
  }
  return settleDown(deps, paymentId);
}

async function hasEnded(engine: ActorEngine, jobId: string): Promise<boolean> {
  const view = await findActor(engine, jobId);
  return view !== undefined && view.status !== 'active';
}

async function settlementPart({ chain }: PaymentsDeps, payment: StandingPayment) {
  const settlement = await settlementOf(chain, payment);
  return settlement === undefined ? {} : { settlement };
}

/** Returns the tool's own error result when the work failed. The caller was not charged. */
function released(blobs: BlobStore, payment: StandingPayment): PaidAnswer {
  const { resultSha } = payment.record;
  if (resultSha === null) return refused(payment);
  return { kind: 'answered', result: stored(blobs, resultSha) };
}

function refused(payment: StandingPayment): PaidAnswer {
  const fault = faultOfPayment(payment);
  return { kind: 'refused', fault, settlement: unsettled(payment.record, fault.code) };
}

function stored(blobs: BlobStore, sha: string): ToolResult {
  const text = blobs.get(sha);
  invariant(text !== undefined, 'a result is stored before its payment refers to it');
  return JSON.parse(text) as ToolResult;
}

function unfinished(): ToolResult {
  return errorResult(
    new AppError('INTERNAL', { message: 'The work did not finish. Your payment is refunded.' }),
  );
}
