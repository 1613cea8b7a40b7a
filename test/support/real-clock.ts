import type { Clock } from '../../src/domain/common/clock.ts';

/** The machine's clock, for tests that talk to real sockets. */
export const realClock: Clock = {
  now: () => Date.now(),
  at: (at, run) => {
    const timer = setTimeout(run, Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  },
};
