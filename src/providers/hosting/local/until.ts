import type { Clock } from '../../../domain/common/clock.ts';

/** Looks again and again until something holds, or time is up; tells which. */
export async function until(
  holds: () => boolean,
  { clock, lookMs, limitMs }: { clock: Clock; lookMs: number; limitMs: number },
): Promise<boolean> {
  const end = clock.now() + limitMs;
  for (;;) {
    if (holds()) return true;
    const now = clock.now();
    if (now >= end) return false;
    await new Promise<void>((resolve) => {
      clock.at(Math.min(end, now + lookMs), resolve);
    });
  }
}
