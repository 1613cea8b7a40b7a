import type { Clock } from '../../domain/common/clock.ts';

const POLL_INTERVAL_MS = 20;

/** Resolves when `isDone` returns true or the grace period ends, whichever comes first. */
export function waitUntilDone(clock: Clock, graceMs: number, isDone: () => boolean): Promise<void> {
  const end = clock.now() + graceMs;
  return new Promise((resolve) => {
    const check = (): void => {
      const now = clock.now();
      if (isDone() || now >= end) resolve();
      else clock.at(Math.min(end, now + POLL_INTERVAL_MS), check);
    };
    check();
  });
}
