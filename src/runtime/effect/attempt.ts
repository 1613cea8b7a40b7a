import type { RuntimeClock } from '../engine/ports.ts';
import type { Effect, EffectError } from '../engine/types.ts';
import { LATER } from '../engine/types.ts';
import { copyPlain, toBounded } from '../value/plain.ts';
import type { ActorEffectContext, AttemptContext } from './context-types.ts';
import { errorMessage, toEffectError } from './effect-error.ts';

/** Outcome of one attempt of an effect. */
export type AttemptOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'later' }
  | { readonly kind: 'failed'; readonly error: EffectError; readonly retry: Retry };

/** The pause before the next attempt, `false` for no attempt, or `true` to ask `backoff`. */
export type Retry = number | boolean;

/** Default timeout of one attempt, in milliseconds. */
const TIMEOUT_MS = 15 * 60 * 1_000;

/** Aborts an attempt. The signal is created on first access, because short effects never use it. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}

/** Options of an attempt. */
export interface AttemptOptions {
  readonly clock: RuntimeClock;
  readonly abort: LazyAbort;
  readonly findRetry: (thrown: unknown, error: EffectError) => Retry;
  /** Maximum characters of the result. */
  readonly charsMax: number;
}

/**
 * Runs one attempt until it ends or times out. A timed-out attempt is aborted, and its later result
 * is ignored.
 */
export async function runAttempt(
  effect: Effect<never>,
  input: unknown,
  context: AttemptContext,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const { clock, abort } = options;
  const { timeoutMs = TIMEOUT_MS, heartbeatMs = timeoutMs } = effect;
  const limitMs = Math.min(timeoutMs, heartbeatMs);
  let beatAt = clock.now();
  let cancel = (): void => undefined;
  const timeout = new Promise<AttemptOutcome>((resolve) => {
    const check = (): void => {
      if (clock.now() < beatAt + limitMs) {
        cancel = clock.at(beatAt + limitMs, check);
        return;
      }
      abort.abort(new DOMException('The attempt timed out.', 'TimeoutError'));
      const error = timeoutError(effect, limitMs);
      resolve({ kind: 'failed', error, retry: options.findRetry(error, error) });
    };
    if (Number.isFinite(limitMs)) cancel = clock.at(beatAt + limitMs, check);
  });
  const fullContext: ActorEffectContext = {
    ...context,
    now: () => clock.now(),
    heartbeat: () => {
      beatAt = clock.now();
    },
    get signal() {
      return abort.signal;
    },
  };
  try {
    return await Promise.race([runEffect(effect, input, fullContext, options), timeout]);
  } finally {
    cancel();
  }
}

function timeoutError({ heartbeatMs }: Effect<never>, limitMs: number): EffectError {
  const missing = heartbeatMs === limitMs ? 'send a heartbeat' : 'finish';
  const message = `The effect did not ${missing} within ${limitMs} ms.`;
  return { name: 'TimeoutError', code: 'EFFECT_TIMEOUT', message };
}

async function runEffect(
  effect: Effect<never>,
  input: unknown,
  context: ActorEffectContext,
  { findRetry, charsMax }: Pick<AttemptOptions, 'findRetry' | 'charsMax'>,
): Promise<AttemptOutcome> {
  let output: unknown;
  try {
    // The effect gets a copy, because it may modify its input.
    output = await effect.run(copyPlain(input) as never, context);
  } catch (thrown) {
    const error = toEffectError(thrown);
    return { kind: 'failed', error, retry: findRetry(thrown, error) };
  }
  if (output === LATER) return { kind: 'later' };
  try {
    return { kind: 'done', output: toBounded({ output }, 'result', charsMax).output };
  } catch (invalid) {
    // The work is done, so another attempt would produce the same kind of result.
    const message = `The effect ran, but its result cannot be stored: ${errorMessage(invalid)}`;
    const error = { name: 'EffectError', code: 'EFFECT_OUTPUT_INVALID', message };
    return { kind: 'failed', error, retry: false };
  }
}
