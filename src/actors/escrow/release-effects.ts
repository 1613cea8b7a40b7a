import { AppError, invariant } from '../../domain/common/error.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { X402_VERSION } from '../../domain/payment/payment.ts';
import type { PaymentOrder } from '../../domain/payment/payment-record.ts';
import type { CollectInput, PayInput } from '../../machines/escrow/job-context.ts';
import type { ObservedOutcome } from '../../machines/payment/payment-context.ts';
import type { ActorEngine, Effect } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { PAYMENT_KIND } from '../payment/definition.ts';
import { type BoundCall, derivePaymentKey } from '../payment/presented-payment.ts';
import { type PaymentView, readPaymentView, stateOf } from '../payment/record.ts';
import { faultOfPayment } from '../payment/settlement.ts';

/** Tool name that release payments are bound to. */
export const RELEASE_TOOL = 'work_release';
/**
 * Work time of a release payment, in milliseconds: long enough that the provider's claim never
 * expires.
 */
const RELEASE_WORK_MS = 10 * 365 * DAY_MS;
/** Longest wait for the chain before the effect is retried, in milliseconds. */
const SETTLE_WAIT_MS = 30 * SECOND_MS;

/**
 * Creates the two effects of a paid release. `collect` creates a payment actor, so that an
 * authorization pays for one thing only. `pay` transfers the operator's money to the provider under
 * the job's key.
 */
export function createReleaseEffects({ chain, engine }: Pick<Services, 'chain' | 'engine'>) {
  const collect: Effect<CollectInput, ObservedOutcome> = {
    attempts: 3,
    timeoutMs: MINUTE_MS,
    run: async ({ jobId, src, payload }, { now, signal }) => {
      invariant(payload !== null, 'a job collects a payment that it was brought');
      const call = releaseCall(jobId, payload.accepted);
      const key = derivePaymentKey(payload, call);
      const order: PaymentOrder = {
        paymentId: key.paymentId,
        binding: key.binding,
        argsHash: key.argsHash,
        flow: call.flow,
        tool: call.tool,
        src,
        jobId,
        job: null,
        priceMicroUsd: call.offer.amount,
        network: call.offer.network,
        payer: payload.payload.authorization.from,
        resourceUrl: `a2a://jobs/${jobId}`,
        payload: { x402Version: X402_VERSION, accepted: call.offer, payload: payload.payload },
        identifierHash: key.identifierHash,
        lapseMs: 0,
        workMs: RELEASE_WORK_MS,
      };
      await engine.create(PAYMENT_KIND, key.paymentId, order);
      const payment = await waitUntilIdle(engine, key.paymentId, signal);
      if (payment.record.binding !== key.binding) return failedOutcome(conflictError(), now());
      const outcome = toOutcome(payment, now());
      if (payment.state === 'refused') await purgeRefused(engine, key.paymentId);
      return outcome;
    },
  };
  const pay: Effect<PayInput, ObservedOutcome> = {
    attempts: 5,
    timeoutMs: MINUTE_MS,
    run: async ({ jobId, to, amount }, { now }) => {
      const outcome = await chain.transfer({ to, amount, token: `${jobId}:release` });
      return { ...outcome, at: now() };
    },
  };
  return { collect, pay };
}

/** Returns the call that a release payment is bound to: this job only. */
export function releaseCall(jobId: string, offer: BoundCall['offer']): BoundCall {
  return { tool: RELEASE_TOOL, args: { job_id: jobId }, flow: 'upfront', offer };
}

async function waitUntilIdle(engine: ActorEngine, id: string, signal: AbortSignal) {
  const isIdle = (view: Parameters<typeof stateOf>[0] & { status: string }) =>
    view.status === 'stuck' || !['challenged', 'settling'].includes(stateOf(view));
  try {
    return readPaymentView(await engine.waitFor(id, isIdle, { timeoutMs: SETTLE_WAIT_MS, signal }));
  } catch (thrown) {
    if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
    return readPaymentView(await engine.view(id));
  }
}

function toOutcome(payment: PaymentView, at: number): ObservedOutcome {
  const { state, record } = payment;
  const isPaid = state === 'settled' || state === 'closed';
  if (isPaid && record.transaction !== null) {
    return { state: 'settled', transaction: record.transaction, block: 0, at };
  }
  if (state === 'failed' || state === 'refused') return failedOutcome(faultOfPayment(payment), at);
  const detail = 'the payment is still pending';
  return { state: 'unknown', transaction: record.transaction, detail, at };
}

function failedOutcome(
  fault: { code: AppError['code']; message: string },
  at: number,
): ObservedOutcome {
  const { code, message } = fault;
  return { state: 'failed', fault: { code, message }, at };
}

function conflictError(): AppError {
  return new AppError('PAYMENT_CONFLICT');
}

/** Deletes a refused payment, so that it can be retried once it is funded. */
async function purgeRefused(engine: ActorEngine, id: string): Promise<void> {
  try {
    await engine.purge(id);
  } catch (thrown) {
    const isLeft = isEngineCode(thrown, 'ACTOR_UNKNOWN') || isEngineCode(thrown, 'ACTOR_ACTIVE');
    if (!isLeft) throw thrown;
  }
}
