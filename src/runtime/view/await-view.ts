import { EngineError } from '../engine/error.ts';
import type { RuntimeClock } from '../engine/ports.ts';
import type { AskOptions, View } from '../engine/types.ts';

/** Arguments of `awaitView`. */
export interface Awaiting extends AskOptions {
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
export function awaitView(awaiting: Awaiting): Promise<View> {
  const { id, clock, deadline, signal } = awaiting;
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = [];
    const end = (settle: () => void): void => {
      for (const each of undo.splice(0)) each();
      settle();
    };
    const giveUp = (why: string, cause?: unknown): void => {
      const data = { id, timeoutMs: awaiting.timeoutMs, aborted: cause !== undefined };
      end(() => reject(new EngineError('ASK_TIMEOUT', `${id}: ${why}`, { data, cause })));
    };
    const check = (): void => {
      try {
        const view = awaiting.current();
        if (view === undefined) return;
        if (awaiting.until(view)) end(() => resolve(view));
        else if (view.status !== 'active' && view.status !== 'stuck') end(() => reject(over(view)));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const abort = (): void => giveUp('the wait was aborted', signal?.reason ?? 'aborted');
    undo.push(awaiting.listen(check));
    undo.push(clock.at(deadline, () => giveUp(`no match within ${awaiting.timeoutMs} ms`)));
    signal?.addEventListener('abort', abort, { once: true });
    undo.push(() => signal?.removeEventListener('abort', abort));
    if (signal?.aborted === true) abort();
    else check();
  });
}

function over({ id, status, seq }: View): EngineError {
  const message = `${id} ended (${status}) before its view matched.`;
  return new EngineError('ACTOR_CLOSED', message, { data: { id, status, seq } });
}
