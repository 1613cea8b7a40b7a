import type { Clock } from '../../../domain/common/clock.ts';

/** Polls until a condition holds or the time is up; returns whether it holds. */
export async function waitUntil(
  isTrue: () => boolean,
  { clock, lookMs, limitMs }: { clock: Clock; lookMs: number; limitMs: number },
): Promise<boolean> {
  const end = clock.now() + limitMs;
  for (;;) {
    if (isTrue()) return true;
    const now = clock.now();
    if (now >= end) return false;
    await new Promise<void>((resolve) => {
      clock.at(Math.min(end, now + lookMs), resolve);
    });
  }
}
