import type { Clock } from '../../domain/ports/clock.ts';
import type { LlmFailure, LlmReply, LlmRequest, LlmUsage } from '../../domain/ports/llm.ts';
import { race } from '../net/race.ts';
import { type Gathered, gather, type Speaker, type Vendor } from './attempt.ts';
import { type Fault, faultOf } from './failure.ts';
import type { Cost } from './price.ts';

/** Attempts at one call, beside those that only change the form of the request. */
export const ATTEMPTS_MAX = 2;
/** Changes of form that are tried in one call. */
const ADAPTIONS_MAX = 4;
/** Wait before the second attempt when the provider names none, in milliseconds. */
const WAIT_DEFAULT_MS = 500;
/** Characters that count as one token where the provider did not say; on the high side. */
const CHARS_PER_TOKEN = 3;

/** What a call needs. */
export interface Means {
  readonly clock: Clock;
  readonly vendor: Vendor;
  price(usage: LlmUsage, billedUsd: number | undefined): Cost;
}

/** Asks a model within one total time over all attempts; failures come as values. */
export async function complete(request: LlmRequest, means: Means): Promise<LlmReply> {
  const { clock } = means;
  const startedAt = clock.now();
  const call = openCall(request, clock, startedAt + request.timeoutMs);
  try {
    const { gathered, fault } = await attempts(request, means, call);
    const ended = call.ended();
    const usage = usageOf(request, gathered, fault);
    const base = {
      usage,
      ...means.price(usage, gathered.billedUsd),
      requestId: gathered.requestId,
      ms: Math.max(0, clock.now() - startedAt),
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
  /** How the call was ended from outside; `undefined` when it was not. */
  ended(): { readonly failure: LlmFailure; readonly detail: string } | undefined;
  close(): void;
}

function openCall(request: LlmRequest, clock: Clock, due: number): Call {
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
  readonly gathered: Gathered;
  readonly fault: Fault | undefined;
}

async function attempts(request: LlmRequest, means: Means, call: Call): Promise<Outcome> {
  let adaptions = 0;
  for (let attempt = 1; ; ) {
    const speaker = means.vendor.speaker();
    const outcome = await attemptOnce(request, speaker, call);
    const { fault } = outcome;
    if (fault === undefined || call.signal.aborted) return outcome;
    const isForm = fault.status === 400 || fault.status === 422;
    if (isForm && adaptions < ADAPTIONS_MAX && speaker.adapt(fault.words)) {
      adaptions += 1;
      continue;
    }
    const waitMs = fault.waitMs ?? WAIT_DEFAULT_MS;
    // A wait that outlasts the time is an answer already.
    if (!fault.isRetryable || attempt >= ATTEMPTS_MAX || waitMs >= call.remainingMs()) {
      return outcome;
    }
    attempt += 1;
    await sleep(waitMs, means.clock, call.signal);
    if (call.signal.aborted) return outcome;
  }
}

async function attemptOnce(request: LlmRequest, speaker: Speaker, call: Call): Promise<Outcome> {
  const gathered = gather();
  if (call.signal.aborted) return { gathered, fault: undefined };
  const { signal } = call;
  try {
    const remainingMs = call.remainingMs();
    gathered.wasAsked = true;
    await race(speaker.ask({ request, signal, remainingMs, gathered }), signal);
    return { gathered, fault: faultOf(gathered, undefined) };
  } catch (thrown) {
    return { gathered, fault: faultOf(gathered, thrown) };
  }
}

// What the provider took on may be billed, also when its answer was lost: then it is estimated.
function usageOf(request: LlmRequest, gathered: Gathered, fault: Fault | undefined): LlmUsage {
  const { usage, text, wasAsked, stop } = gathered;
  if (usage !== undefined && (stop !== undefined || usage.output > 0)) {
    return { ...usage, source: 'provider' };
  }
  if (!wasAsked || fault?.isUnsent === true) return NOTHING_USED;
  const sent = request.system.length + request.prompt.length;
  return {
    input: usage?.input || tokens(sent),
    output: tokens(text.length),
    cacheRead: usage?.cacheRead ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    source: 'estimated',
  };
}

const NOTHING_USED: LlmUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  source: 'none',
};

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      off();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const off = clock.at(clock.now() + ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
