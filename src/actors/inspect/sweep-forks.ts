import type { ActorEngine } from '../../runtime/engine/types.ts';
import { listRows } from '../common/actor-lists.ts';

/** Id suffix of copies that the engine makes. */
const FORK = /\/fork-\d+$/;

/** Selects the forks to sweep. */
export interface ForkSweepOptions {
  /** Actor kinds whose forks are swept. */
  readonly kinds: readonly string[];
  /** Sweeps forks that have not changed since this Unix time in milliseconds. */
  readonly before: number;
  /** Stops the sweep early. */
  readonly signal?: AbortSignal;
}

/**
 * Stops and removes old forks. Forks of real actors have neither timers nor effects, so nothing
 * else would end them.
 *
 * @returns The number of removed forks.
 */
export async function sweepForks(
  engine: ActorEngine,
  { kinds, before, signal }: ForkSweepOptions,
): Promise<number> {
  let removed = 0;
  for (const kind of kinds) {
    for await (const { id, at } of listRows(engine, { kind, status: 'active' })) {
      if (signal?.aborted === true) return removed;
      if (!FORK.test(id) || at >= before) continue;
      await engine.stop(id);
      await engine.purge(id);
      removed += 1;
    }
  }
  return removed;
}
