import type { QueueLimits, QueueOptions } from '../../src/runtime/queue/queue-types.ts';
import type { Schedule } from '../../src/runtime/timer/schedule-types.ts';
import type { Chance } from './chance.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Names of the queues of a run. */
export const QUEUES = ['q', 'r'] as const;

/** Keys of queued actors; the empty one is none. */
export const LANES = ['', 'a', 'a', 'b', 'c'] as const;

/** The queues of a run: limits of many kinds, with few places so that they are reached. */
export function someQueues(chance: Chance): readonly QueueOptions[] {
  return QUEUES.map((name) => {
    const waitingMax = chance.pick([3, 12, 40]);
    return { name, waitingMax, ...someLimits(chance), perKey: someLimits(chance) };
  });
}

function someLimits(chance: Chance): QueueLimits {
  const concurrency = chance.pick([undefined, 1, 2, 4]);
  const rate = chance.pick([
    undefined,
    undefined,
    { max: 1, perMs: 1_000 },
    { max: 3, perMs: 10_000, burst: 1 },
    { max: 7, perMs: 60_000, burst: 3 },
    { max: 3, perMs: 1_000 },
  ]);
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rate === undefined ? {} : { rate }),
  };
}

/** Patterns whose dates come at a fixed distance, so that plain sums tell them. */
const PATTERNS: Readonly<Record<string, { readonly stepMs: number; readonly offsetMs: number }>> = {
  '*/5 * * * *': { stepMs: 5 * MINUTE_MS, offsetMs: 0 },
  '30 */3 * * * *': { stepMs: 3 * MINUTE_MS, offsetMs: 30_000 },
  '*/20 * * * *': { stepMs: 20 * MINUTE_MS, offsetMs: 0 },
  '@hourly': { stepMs: HOUR_MS, offsetMs: 0 },
  '15 6 * * *': { stepMs: DAY_MS, offsetMs: 6 * HOUR_MS + 15 * MINUTE_MS },
};

/** What a schedule of a run makes. Payers are left out: each needs an input of its own. */
export function someSchedule(chance: Chance, name: string): Schedule {
  const queue = chance.pick([undefined, ...QUEUES]);
  const overlap = chance.pick([undefined, 'allow', 'skip', 'skip'] as const);
  const missed = chance.pick([undefined, 'once', 'skip'] as const);
  return {
    cron: chance.pick(Object.keys(PATTERNS)),
    kind: chance.pick(['puppet', 'maze', 'worker', 'fragile']),
    input: { nonce: name },
    ...(queue === undefined ? {} : { queue }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(missed === undefined ? {} : { missed }),
  };
}

/** The first date of a pattern behind a moment, in milliseconds. */
export function dateAfter(cron: string, after: number): number {
  const { stepMs, offsetMs } = PATTERNS[cron] ?? { stepMs: Number.NaN, offsetMs: 0 };
  return (Math.floor((after - offsetMs) / stepMs) + 1) * stepMs + offsetMs;
}
