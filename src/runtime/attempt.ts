import { copyAtRest } from './copy.ts';
import type { RuntimeClock } from './ports.ts';
import type { Effect, EffectContext, EffectError } from './types.ts';
import { LATER } from './types.ts';

/** How one attempt of an effect ended. */
export type AttemptOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'later' }
  | { readonly kind: 'failed'; readonly error: EffectError; readonly isRetryable: boolean };

/** Milliseconds for one attempt, unless the effect says otherwise. */
const TIMEOUT_MS = 15 * 60 * 1_000;
const MESSAGE_CHARS_MAX = 2_000;

/** Aborts an attempt. Its signal is made when it is asked for: short effects never do. */
export class Abort {
  #controller: AbortController | undefined;
  #fired: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#fired !== undefined) this.#controller.abort(this.#fired.reason);
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#fired ??= { reason };
    this.#controller?.abort(reason);
  }
}

/**
 * Runs one attempt, at most for its time. An attempt that is over time is aborted, and what it
 * still answers counts for nothing.
 */
export async function runAttempt(
  effect: Effect<never>,
  input: unknown,
  context: Omit<EffectContext, 'signal' | 'now'>,
  around: { readonly clock: RuntimeClock; readonly abort: Abort },
): Promise<AttemptOutcome> {
  const { clock, abort } = around;
  const timeoutMs = effect.timeoutMs ?? TIMEOUT_MS;
  let cancel = (): void => undefined;
  const timeout = new Promise<AttemptOutcome>((resolve) => {
    cancel = clock.at(clock.now() + timeoutMs, () => {
      abort.abort(new DOMException('the attempt took too long', 'TimeoutError'));
      const message = `no answer within ${timeoutMs} ms`;
      const error = { name: 'TimeoutError', code: 'EFFECT_TIMEOUT', message };
      resolve({ kind: 'failed', error, isRetryable: effect.isRetryable?.(error) ?? true });
    });
  });
  const full: EffectContext = {
    ...context,
    now: () => clock.now(),
    get signal() {
      return abort.signal;
    },
  };
  try {
    return await Promise.race([answerOf(effect, input, full), timeout]);
  } finally {
    cancel();
  }
}

/** What an error becomes in events and journal. */
export function toEffectError(thrown: unknown): EffectError {
  if (!(thrown instanceof Error)) {
    return { name: 'Error', message: String(thrown).slice(0, MESSAGE_CHARS_MAX) };
  }
  const message = thrown.message.slice(0, MESSAGE_CHARS_MAX);
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  return { name: thrown.name, ...code, message };
}

async function answerOf(
  effect: Effect<never>,
  input: unknown,
  context: EffectContext,
): Promise<AttemptOutcome> {
  try {
    const output = await effect.run(input as never, context);
    // The machine sees the answer as it will be after a restart.
    return output === LATER ? { kind: 'later' } : { kind: 'done', output: copyAtRest(output) };
  } catch (thrown) {
    const isRetryable = effect.isRetryable?.(thrown) ?? true;
    return { kind: 'failed', error: toEffectError(thrown), isRetryable };
  }
}
