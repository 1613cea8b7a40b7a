import { copyPlain, toStorable } from '../engine/plain.ts';
import type { RuntimeClock } from '../engine/ports.ts';
import type { Effect, EffectContext, EffectError } from '../engine/types.ts';
import { LATER } from '../engine/types.ts';
import { errorMessage, toEffectError } from './effect-error.ts';

/** Outcome of one attempt of an effect. */
export type AttemptOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'later' }
  | { readonly kind: 'failed'; readonly error: EffectError; readonly isRetryable: boolean };

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

/**
 * Runs one attempt until it ends or times out. A timed-out attempt is aborted, and its later result
 * is ignored.
 */
export async function runAttempt(
  effect: Effect<never>,
  input: unknown,
  context: Omit<EffectContext, 'signal' | 'now'>,
  options: {
    readonly clock: RuntimeClock;
    readonly abort: LazyAbort;
    readonly isRetryable: (error: unknown) => boolean;
  },
): Promise<AttemptOutcome> {
  const { clock, abort, isRetryable } = options;
  const timeoutMs = effect.timeoutMs ?? TIMEOUT_MS;
  let cancel = (): void => undefined;
  const timeout = new Promise<AttemptOutcome>((resolve) => {
    cancel = clock.at(clock.now() + timeoutMs, () => {
      abort.abort(new DOMException('The attempt timed out.', 'TimeoutError'));
      const message = `The effect did not finish within ${timeoutMs} ms.`;
      const error = { name: 'TimeoutError', code: 'EFFECT_TIMEOUT', message };
      resolve({ kind: 'failed', error, isRetryable: isRetryable(error) });
    });
  });
  const fullContext: EffectContext = {
    ...context,
    now: () => clock.now(),
    get signal() {
      return abort.signal;
    },
  };
  try {
    return await Promise.race([runEffect(effect, input, fullContext, isRetryable), timeout]);
  } finally {
    cancel();
  }
}

async function runEffect(
  effect: Effect<never>,
  input: unknown,
  context: EffectContext,
  isRetryable: (error: unknown) => boolean,
): Promise<AttemptOutcome> {
  let output: unknown;
  try {
    // The effect gets a copy, because it may modify its input.
    output = await effect.run(copyPlain(input) as never, context);
  } catch (thrown) {
    return { kind: 'failed', error: toEffectError(thrown), isRetryable: isRetryable(thrown) };
  }
  if (output === LATER) return { kind: 'later' };
  try {
    return { kind: 'done', output: toStorable({ output }, 'result').output };
  } catch (invalid) {
    // The work is done, so another attempt would produce the same kind of result.
    const message = `The effect ran, but its result cannot be stored: ${errorMessage(invalid)}`;
    const error = { name: 'EffectError', code: 'EFFECT_OUTPUT_INVALID', message };
    return { kind: 'failed', error, isRetryable: false };
  }
}
