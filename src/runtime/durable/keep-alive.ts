import type { EngineStats } from '../engine/types.ts';

/** Interval between two looks at an engine that works or is awaited, in milliseconds. */
const LOOK_EVERY_MS = 100;
/** Maximum time until the next look, in milliseconds. */
const SLEEP_MAX_MS = 60_000;

/**
 * Keeps the process alive while an engine has work: a running effect, a waiting caller, a commit
 * that is not on disk, or a timer or a schedule that is due later. Costs nothing while anything
 * else keeps the process alive.
 *
 * @param o.now - Milliseconds since 1970, by the clock of the engine.
 * @returns A function that ends it.
 */
export function keepProcessAlive(o: {
  readonly stats: () => EngineStats;
  readonly now: () => number;
}): () => void {
  let timer: NodeJS.Timeout | undefined;
  // Node emits this whenever nothing is left that would keep the process alive.
  const look = (): void => {
    clearTimeout(timer);
    const sleepMs = findSleepMs(o.stats(), o.now());
    if (sleepMs !== undefined) timer = setTimeout(() => undefined, sleepMs);
  };
  process.on('beforeExit', look);
  return () => {
    process.off('beforeExit', look);
    clearTimeout(timer);
  };
}

function findSleepMs(stats: EngineStats, now: number): number | undefined {
  const { runningEffects, waitingCallers, pendingCommits, nextDue } = stats;
  if (runningEffects + waitingCallers + pendingCommits > 0) return LOOK_EVERY_MS;
  if (nextDue === undefined) return undefined;
  return Math.min(Math.max(nextDue - now, LOOK_EVERY_MS), SLEEP_MAX_MS);
}
