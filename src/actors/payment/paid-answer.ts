import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import type { PaidAnswer, PaidCall } from './paid-call.ts';
import { type PaymentsDeps, waitUntilSettled } from './process-payment.ts';
import { type PaymentView, stateOf } from './record.ts';
import { createFailedSettlement, createSettlement, faultOfPayment } from './settlement.ts';

/** Longest wait for a payment to process its finished job, in milliseconds. */
const JOB_REPORT_WAIT_MS = 10 * SECOND_MS;

/** Returns the result that a payment bought, or the reason why it was refused. */
export async function createPaidAnswer(
  deps: PaymentsDeps,
  call: PaidCall,
  payment: PaymentView,
): Promise<PaidAnswer> {
  switch (payment.isStuck ? 'unknown' : payment.state) {
    case 'settled':
    case 'closed':
    case 'refunding':
    case 'refund_due':
    case 'refunded':
      return answerPaid(deps, call, payment);
    case 'released':
      return answerReleased(deps.blobs, payment);
    case 'challenged':
    case 'verified':
    case 'settling':
    case 'unknown':
    case 'failed':
    case 'refused':
      return answerRefused(payment);
  }
}

async function answerPaid(
  deps: PaymentsDeps,
  call: PaidCall,
  payment: PaymentView,
): Promise<PaidAnswer> {
  const { paymentId, payer, jobId, resultSha } = payment.record;
  if (jobId === null) {
    const storedResult =
      resultSha === null ? unfinishedResult() : readStoredResult(deps.blobs, resultSha);
    const isEarned = payment.state === 'closed' && storedResult.isError !== true;
    const result = isEarned
      ? ((await call.finish?.({ paymentId, payer: payer.toLowerCase() }, storedResult)) ??
        storedResult)
      : storedResult;
    return { kind: 'answered', result, ...(await settlementFields(deps, payment)) };
  }
  const result = await call.run({ paymentId, payer: payer.toLowerCase(), jobId });
  return {
    kind: 'answered',
    result,
    ...(await settlementFields(deps, await waitForJobReport(deps, payment))),
  };
}

/** Returns the payment after it has processed its finished job, which may start a refund. */
async function waitForJobReport(deps: PaymentsDeps, { record }: PaymentView): Promise<PaymentView> {
  const { paymentId, jobId } = record;
  if (jobId !== null && (await hasEnded(deps.engine, jobId))) {
    const until = ({ value }: Pick<View, 'value'>) => stateOf({ value }) !== 'settled';
    await deps.engine
      .waitFor(paymentId, until, { timeoutMs: JOB_REPORT_WAIT_MS })
      .catch((thrown: unknown) => {
        if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
      });
  }
  return waitUntilSettled(deps, paymentId);
}

async function hasEnded(engine: ActorEngine, jobId: string): Promise<boolean> {
  const view = await findActor(engine, jobId);
  return view !== undefined && view.status !== 'active';
}

async function settlementFields({ chain }: PaymentsDeps, payment: PaymentView) {
  const settlement = await createSettlement(chain, payment);
  return settlement === undefined ? {} : { settlement };
}

/** Returns the tool's own error result when the work failed. The caller was not charged. */
function answerReleased(blobs: BlobStore, payment: PaymentView): PaidAnswer {
  const { resultSha } = payment.record;
  if (resultSha === null) return answerRefused(payment);
  return { kind: 'answered', result: readStoredResult(blobs, resultSha) };
}

function answerRefused(payment: PaymentView): PaidAnswer {
  const fault = faultOfPayment(payment);
  return { kind: 'refused', fault, settlement: createFailedSettlement(payment.record, fault.code) };
}

function readStoredResult(blobs: BlobStore, sha: string): ToolResult {
  const text = blobs.get(sha);
  invariant(text !== undefined, 'a result is stored before its payment refers to it');
  return JSON.parse(text) as ToolResult;
}

function unfinishedResult(): ToolResult {
  return toErrorResult(
    new AppError('INTERNAL', { message: 'The work did not finish. Your payment is refunded.' }),
  );
}
