import { EngineError } from '../engine/error.ts';
import type { RuntimeClock } from '../engine/ports.ts';
import type { AskOptions, View } from '../engine/types.ts';

/** Arguments of `awaitView`. */
export interface AwaitViewOptions extends AskOptions {
  readonly id: string;
  readonly until: (view: View) => boolean;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly clock: RuntimeClock;
  /** Returns the committed view; `undefined` if there is none yet. */
  current(): View | undefined;
  listen(changed: () => void): () => void;
}

/**
 * Waits until the committed view of an actor matches.
 *
 * @throws {EngineError} `ASK_TIMEOUT` on timeout or if the signal aborts; `ACTOR_CLOSED` if the
 * actor has ended without a match.
 */
export function awaitView(options: AwaitViewOptions): Promise<View> {
  const { id, clock, deadline, signal } = options;
  return new Promise((resolve, reject) => {
    const cleanups: (() => void)[] = [];
    const finish = (settle: () => void): void => {
      for (const each of cleanups.splice(0)) each();
      settle();
    };
    const fail = (why: string, cause?: unknown): void => {
      const data = { id, timeoutMs: options.timeoutMs, aborted: cause !== undefined };
      finish(() => reject(new EngineError('ASK_TIMEOUT', `${id}: ${why}`, { data, cause })));
    };
    const check = (): void => {
      try {
        const view = options.current();
        if (view === undefined) return;
        if (options.until(view)) finish(() => resolve(view));
        else if (view.status !== 'active' && view.status !== 'stuck')
          finish(() => reject(endedError(view)));
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const abort = (): void => fail('the wait was aborted', signal?.reason ?? 'aborted');
    cleanups.push(options.listen(check));
    cleanups.push(clock.at(deadline, () => fail(`no match within ${options.timeoutMs} ms`)));
    signal?.addEventListener('abort', abort, { once: true });
    cleanups.push(() => signal?.removeEventListener('abort', abort));
    if (signal?.aborted === true) abort();
    else check();
  });
}

function endedError({ id, status, seq }: View): EngineError {
  const message = `${id} ended (${status}) before its view matched.`;
  return new EngineError('ACTOR_CLOSED', message, { data: { id, status, seq } });
}
