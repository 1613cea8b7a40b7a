import type { Clock } from '../../domain/common/clock.ts';
import { pause } from '../../domain/common/pause.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { LlmFailure, LlmReply, LlmRequest, LlmUsage } from '../../domain/llm/llm.ts';
import { race } from '../net/http-message.ts';
import {
  createPartialAnswer,
  type PartialAnswer,
  type Vendor,
  type VendorCall,
} from './attempt.ts';
import {
  type AttemptFault,
  classifyAttempt,
  permanentFault as faultWith,
} from './attempt-fault.ts';
import type { Cost } from './price.ts';
import { computeUsage } from './usage.ts';

/** Attempts at one call, besides those that only change the request format. */
const ATTEMPTS_MAX = 3;
/** Most format changes in one call. */
const ADAPTATIONS_MAX = 5;
/** Wait before the second attempt if the provider names none, in milliseconds. Then it doubles. */
const WAIT_DEFAULT_MS = 300;
/** How long a started stream may pause before it counts as stalled, in milliseconds. */
const STALL_MS = 15 * SECOND_MS;

/** The dependencies of a call. */
export interface CallDeps {
  readonly clock: Clock;
  readonly vendor: Vendor;
  price(usage: LlmUsage, billedUsd: number | undefined): Cost;
  /** Returns the model family for the model name that a host reports. */
  familyOf(served: string): string;
}

/** Calls a model within one total timeout over all attempts. Failures are returned as values. */
export async function complete(request: LlmRequest, deps: CallDeps): Promise<LlmReply> {
  const { clock } = deps;
  const startedAt = clock.now();
  const call = createCall(request, clock, startedAt + request.timeoutMs);
  try {
    const { gathered, fault } = await runAttempts(request, deps, call);
    const ended = call.ended();
    const usage = computeUsage(request, gathered, fault?.isUnsent === true);
    const { served, requestId } = gathered;
    const base = {
      usage,
      ...deps.price(usage, gathered.billedUsd),
      requestId,
      ms: Math.max(0, clock.now() - startedAt),
      ...(served === undefined ? {} : { served: { model: served, family: deps.familyOf(served) } }),
    };
    if (ended !== undefined) return { ...base, ok: false, ...ended };
    if (fault === undefined) return { ...base, ok: true, text: gathered.text };
    const { failure, detail, status } = fault;
    return { ...base, ok: false, failure, detail, ...(status === undefined ? {} : { status }) };
  } finally {
    call.close();
  }
}

interface Call {
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** Returns how the call was ended from outside, or `undefined` if it was not. */
  ended(): { readonly failure: LlmFailure; readonly detail: string } | undefined;
  close(): void;
}

function createCall(request: LlmRequest, clock: Clock, due: number): Call {
  const stop = new AbortController();
  let ended: ReturnType<Call['ended']>;
  const end = (failure: LlmFailure, detail: string) => () => {
    ended ??= { failure, detail };
    stop.abort();
  };
  const abort = end('aborted', 'The call was aborted.');
  const off = clock.at(due, end('timeout', `No answer within ${request.timeoutMs} ms.`));
  if (request.signal.aborted) abort();
  request.signal.addEventListener('abort', abort, { once: true });
  return {
    signal: stop.signal,
    remainingMs: () => Math.max(1, due - clock.now()),
    ended: () => ended,
    close: () => {
      off();
      request.signal.removeEventListener('abort', abort);
    },
  };
}

interface Outcome {
  readonly gathered: PartialAnswer;
  readonly fault: AttemptFault | undefined;
}

async function runAttempts(request: LlmRequest, means: CallDeps, call: Call): Promise<Outcome> {
  const speaker = means.vendor.startCall();
  let adaptions = 0;
  for (let attempt = 1; ; attempt += 1) {
    let outcome = await attemptOnce(request, { speaker, clock: means.clock, call });
    while (adaptions < ADAPTATIONS_MAX && canAdapt(outcome.fault, speaker, request)) {
      adaptions += 1;
      outcome = await attemptOnce(request, { speaker, clock: means.clock, call });
    }
    if (outcome.gathered.hasStarted) speaker.confirm();
    const waitMs = retryDelay(outcome.fault, attempt);
    if (waitMs === undefined || call.signal.aborted) return outcome;
    // A wait beyond the remaining time would only delay the failure.
    if (waitMs >= call.remainingMs()) return outcome;
    await pause(means.clock, waitMs, call.signal);
    if (call.signal.aborted) return outcome;
  }
}

/** Returns true if the host rejected the request format and another one is available. */
function canAdapt(
  fault: AttemptFault | undefined,
  speaker: VendorCall,
  request: LlmRequest,
): boolean {
  const isOfForm = fault?.status === 400 || fault?.status === 422;
  return isOfForm && speaker.adapt(fault.words, request);
}

/** Returns the milliseconds until a retry, or `undefined` if there is none. */
function retryDelay(fault: AttemptFault | undefined, attempt: number): number | undefined {
  if (fault?.isRetryable !== true || attempt >= ATTEMPTS_MAX) return undefined;
  return fault.waitMs ?? WAIT_DEFAULT_MS * 2 ** (attempt - 1);
}

interface AttemptContext {
  readonly speaker: VendorCall;
  readonly clock: Clock;
  readonly call: Call;
}

async function attemptOnce(
  request: LlmRequest,
  { speaker, clock, call }: AttemptContext,
): Promise<Outcome> {
  const gathered = createPartialAnswer();
  if (call.signal.aborted) return { gathered, fault: undefined };
  const watch = watchStall(clock, gathered);
  const signal = AbortSignal.any([call.signal, watch.signal]);
  try {
    const remainingMs = call.remainingMs();
    gathered.isSent = true;
    const { onBytes } = watch;
    await race(speaker.ask({ request, signal, remainingMs, gathered, onBytes }), signal);
    return { gathered, fault: classifyAttempt(gathered, undefined, clock.now()) };
  } catch (thrown) {
    const fault = watch.signal.aborted ? STALLED : classifyAttempt(gathered, thrown, clock.now());
    return { gathered, fault };
  } finally {
    watch.close();
  }
}

const STALLED = faultWith('timeout', `The stream stalled: no data for ${STALL_MS} ms.`);

/** Aborts when a started stream stalls. */
function watchStall(clock: Clock, gathered: PartialAnswer) {
  const stop = new AbortController();
  let lastAt = clock.now();
  let off = (): void => undefined;
  const look = () => {
    const dueAt = gathered.hasStarted ? lastAt + STALL_MS : clock.now() + STALL_MS;
    if (gathered.hasStarted && dueAt <= clock.now()) stop.abort();
    else off = clock.at(dueAt, look);
  };
  off = clock.at(lastAt + STALL_MS, look);
  return {
    signal: stop.signal,
    onBytes: () => {
      lastAt = clock.now();
    },
    close: () => off(),
  };
}
