import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import {
  type PaymentState,
  type PaymentView,
  readPayment,
  readPaymentView,
  stateOf,
} from './record.ts';

type Engine = Services['engine'];

/** Longest wait for the chain before the caller gets `PAYMENT_PENDING`, in milliseconds. */
const SETTLE_WAIT_MS = 90 * SECOND_MS;
/** Longest wait for a job that its payment has ordered, in milliseconds. */
const JOB_CREATION_WAIT_MS = 10 * SECOND_MS;
/** Longest wait for a payment to process its finished job, in milliseconds. */
const JOB_REPORT_WAIT_MS = 10 * SECOND_MS;
/** States in which the payment waits for the chain. */
const PENDING_STATES: readonly PaymentState[] = ['challenged', 'settling', 'refunding'];

/** Waits until the chain has answered, at most `SETTLE_WAIT_MS`. */
export async function waitUntilSettled(engine: Engine, paymentId: string): Promise<PaymentView> {
  try {
    const view = await engine.waitFor(paymentId, isIdle, { timeoutMs: SETTLE_WAIT_MS });
    return readPaymentView(view);
  } catch (thrown) {
    if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
    return readPayment(engine, paymentId);
  }
}

/**
 * Waits for the job that the settling commit created; the outbox delivers it shortly after.
 *
 * @throws {AppError} `JOB_UNKNOWN` after 10 s.
 */
export async function waitForJob(engine: Engine, jobId: string): Promise<void> {
  try {
    const options = { timeoutMs: JOB_CREATION_WAIT_MS, untilCreated: true };
    await engine.waitFor(jobId, () => true, options);
  } catch (cause) {
    if (isEngineCode(cause, 'ASK_TIMEOUT')) throw new AppError('JOB_UNKNOWN', { cause });
    throw cause;
  }
}

/** Returns the payment after it has processed its finished job, which may start a refund. */
export async function waitForJobReport(
  engine: Engine,
  paymentId: string,
  jobId: string,
): Promise<PaymentView> {
  const job = await findActor(engine, jobId);
  if (job !== undefined && job.status !== 'active') {
    const until = ({ value }: Pick<View, 'value'>) => stateOf({ value }) !== 'settled';
    await engine
      .waitFor(paymentId, until, { timeoutMs: JOB_REPORT_WAIT_MS })
      .catch((thrown: unknown) => {
        if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
      });
  }
  return waitUntilSettled(engine, paymentId);
}

function isIdle(view: View): boolean {
  return view.status === 'stuck' || !PENDING_STATES.includes(stateOf(view));
}
