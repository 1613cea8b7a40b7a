import type { ActorEngine } from '../../runtime/engine/types.ts';
import { listRows } from '../common/finished.ts';

/** How the engine names the copies that it makes. */
const FORK = /\/fork-\d+$/;

/** Which copies are swept. */
export interface ForkSweep {
  /** Kinds of actors whose copies are looked for. */
  readonly kinds: readonly string[];
  /** Those that have not moved since then, in milliseconds. */
  readonly before: number;
  /** Ends the sweep early. */
  readonly signal?: AbortSignal;
}

/**
 * Ends and removes copies of actors that have not moved for long: copies of real actors have
 * neither timers nor effects, so nothing of their own would end them.
 *
 * @returns How many were removed.
 */
export async function sweepForks(
  engine: ActorEngine,
  { kinds, before, signal }: ForkSweep,
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
