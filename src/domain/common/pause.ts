import type { Clock } from './clock.ts';

/** Waits on the injected clock. An abort ends the wait early. Never rejects. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      off();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const off = clock.at(clock.now() + ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
