import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { createCapability } from '../../domain/common/id.ts';
import type { Random } from '../../domain/common/random.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { X402_VERSION } from '../../domain/payment/payment.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { PaymentOrder } from '../../domain/payment/payment-record.ts';
import type { JobOrder } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { ActorEngine, Ev, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { PAYMENT_KIND } from './definition.ts';
import type { PaidCall } from './paid-call.ts';
import type { PaymentKey } from './presented-payment.ts';
import {
  type PaymentState,
  type PaymentView,
  readPayment,
  readPaymentView,
  stateOf,
} from './record.ts';

/** Longest wait for the chain before the caller gets `PAYMENT_PENDING`, in milliseconds. */
export const SETTLE_WAIT_MS = 90 * SECOND_MS;
/** Longest duration of unpaid work, in milliseconds. The authorization may expire earlier. */
export const UNPAID_WORK_MS = 15 * MINUTE_MS;
/**
 * Longest duration of paid inline work and of paid jobs, in milliseconds. Later, a refund follows.
 */
export const PAID_WORK_MS = { inline: 15 * MINUTE_MS, job: 7 * DAY_MS } as const;

/** Dependencies of the payment decision. */
export interface PaymentsDeps {
  /** Must have the definition of `definePayment` and of the kinds of all ordered jobs. */
  readonly engine: ActorEngine;
  readonly chain: PaymentChain;
  readonly blobs: BlobStore;
  readonly ids: PaymentIds;
  readonly clock: Clock;
  readonly random: Random;
}

/** States in which the payment waits for the chain. */
const PENDING_STATES: readonly PaymentState[] = ['challenged', 'settling', 'refunding'];
/** Final states in which a prepaid job was never created. */
const TERMINAL_UNPAID: readonly PaymentState[] = ['refused', 'failed'];
const REASON_CHARS_MAX = 200;

/**
 * Processes a payment as far as possible: creates it if it is new, waits for the chain, runs inline
 * work that is due, and waits for the settlement. After a restart, continues from the stored state.
 */
export async function processPayment(
  deps: PaymentsDeps,
  call: PaidCall,
  key: PaymentKey,
  isKnown: boolean,
): Promise<PaymentView> {
  const jobOrder = isKnown ? undefined : await createPaymentAndOrder(deps, call, key);
  const payment = await waitUntilSettled(deps, key.paymentId);
  // Another call may have opened this payment while we waited.
  const isOtherCall = payment.record.binding !== key.binding;
  if (isOtherCall || TERMINAL_UNPAID.includes(payment.state)) jobOrder?.release?.();
  if (isOtherCall) throw new AppError('PAYMENT_CONFLICT');
  if (payment.state === 'refused') await purgeRefused(deps, key.paymentId);
  return needsToolRun(payment) ? runWork(deps, call, payment.record, key.payload) : payment;
}

/** Waits until the chain has answered, at most `SETTLE_WAIT_MS`. */
export async function waitUntilSettled(
  { engine }: Pick<PaymentsDeps, 'engine'>,
  paymentId: string,
): Promise<PaymentView> {
  try {
    return readPaymentView(await engine.waitFor(paymentId, isIdle, { timeoutMs: SETTLE_WAIT_MS }));
  } catch (thrown) {
    if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
    return readPayment(engine, paymentId);
  }
}

/** Creates the payment of a call, and its job order if the tool runs as a job. */
async function createPaymentAndOrder(
  deps: PaymentsDeps,
  call: PaidCall,
  key: PaymentKey,
): Promise<JobOrder | undefined> {
  const { paymentId, payload } = key;
  const ordered = await call.order?.({ paymentId, payer: payload.payload.authorization.from });
  try {
    await createPayment(deps, call, { key, ordered });
    return ordered;
  } catch (thrown) {
    ordered?.release?.();
    throw thrown;
  }
}

async function createPayment(
  deps: PaymentsDeps,
  call: PaidCall,
  { key, ordered }: { readonly key: PaymentKey; readonly ordered: JobOrder | undefined },
): Promise<void> {
  const { paymentId, binding, argsHash, payload, identifierHash } = key;
  const jobId = ordered === undefined ? null : createCapability('job', deps.random);
  const order: PaymentOrder = {
    paymentId,
    flow: call.flow,
    tool: call.tool,
    argsHash,
    binding,
    priceMicroUsd: call.offer.amount,
    network: call.offer.network,
    payer: payload.payload.authorization.from,
    resourceUrl: call.resourceUrl,
    src: call.src ?? null,
    payload: { x402Version: X402_VERSION, accepted: call.offer, payload: payload.payload },
    identifierHash,
    lapseMs: unpaidLifetimeMs(payload.payload.authorization.validBefore, deps.clock.now()),
    workMs: jobId === null ? PAID_WORK_MS.inline : PAID_WORK_MS.job,
    jobId,
    job:
      ordered === undefined
        ? null
        : { kind: ordered.kind, input: { ...ordered.input, jobId, paymentId } },
  };
  const traceOptions = call.trace === undefined ? {} : { trace: call.trace };
  await deps.engine.create(PAYMENT_KIND, paymentId, order, traceOptions);
}

/** Runs inline work once, and stores its result before any money is moved or kept for it. */
async function runWork(
  deps: PaymentsDeps,
  call: PaidCall,
  { paymentId, payer }: PaymentView['record'],
  payload: PaymentKey['payload'],
): Promise<PaymentView> {
  const result = await call.run({ paymentId, payer: payer.toLowerCase() });
  if (result.isError === true) deps.chain.releaseReservation(payload);
  const resultSha = await deps.blobs.put(JSON.stringify(result));
  try {
    await deps.engine.tell(paymentId, workEvent(result, resultSha));
  } catch (thrown) {
    // The authorization or the time limit of the work expired first. The payment decides what
    // follows.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
  }
  return waitUntilSettled(deps, paymentId);
}

function workEvent(result: ToolResult, resultSha: string): Ev {
  if (result.isError !== true) return { type: 'WORK.DONE', resultSha };
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : 'the tool returned an error';
  const [line = ''] = text.split('\n');
  return { type: 'WORK.FAILED', resultSha, reason: line.slice(0, REASON_CHARS_MAX) };
}

/** Deletes a refused payment. A row that is left after a crash is swept later. */
async function purgeRefused({ engine }: PaymentsDeps, paymentId: string): Promise<void> {
  try {
    await engine.purge(paymentId);
  } catch (thrown) {
    const isLeft = isEngineCode(thrown, 'ACTOR_UNKNOWN') || isEngineCode(thrown, 'ACTOR_ACTIVE');
    if (!isLeft) throw thrown;
  }
}

function needsToolRun({ state, record, isStuck }: PaymentView): boolean {
  if (isStuck) return false;
  return state === 'verified' || (state === 'settled' && record.jobId === null);
}

function isIdle(view: View): boolean {
  return view.status === 'stuck' || !PENDING_STATES.includes(stateOf(view));
}

function unpaidLifetimeMs(validBefore: string, now: number): number {
  const left = BigInt(validBefore) * BigInt(SECOND_MS) - BigInt(now);
  if (left <= 0n) return 0;
  return left < BigInt(UNPAID_WORK_MS) ? Number(left) : UNPAID_WORK_MS;
}
