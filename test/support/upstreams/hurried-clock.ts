import type { Clock } from '../../../src/domain/common/clock.ts';

/** A clock that goes so many times faster than the machine's, from its time on. */
export function hurriedClock(times: number): Clock {
  const begun = Date.now();
  const now = () => begun + (Date.now() - begun) * times;
  return {
    now,
    at: (at, run) => {
      const timer = setTimeout(run, Math.max(0, at - now()) / times);
      return () => clearTimeout(timer);
    },
  };
}
