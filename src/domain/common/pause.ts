import type { Clock } from './clock.ts';

/** Waits on the injected clock. An abort ends the wait early. Never rejects. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    // A clock may call at once, before it returns how to stop it.
    let stopTimer: () => void = () => undefined;
    const done = () => {
      stopTimer();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    signal?.addEventListener('abort', done, { once: true });
    stopTimer = clock.at(clock.now() + ms, done);
  });
}
