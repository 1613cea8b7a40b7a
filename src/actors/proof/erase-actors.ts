import type { Erasable } from '../../domain/common/erasable.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { listAll, tryPurge } from '../common/actor-lists.ts';
import type { Services } from '../common/services.ts';

/** Minimum time since an actor ended, so that its proofs and events are written first. */
export const ENDED_MIN_MS = DAY_MS;

/**
 * Creates the eraser of finished actors that name a subject anywhere in their context. Active
 * actors stay, because other parties' money or work may depend on them.
 */
export function createActorEraser({
  engine,
  clock,
  kinds,
}: Pick<Services, 'clock' | 'engine'> & { readonly kinds: readonly string[] }): Erasable {
  return {
    store: 'finished actors',
    erase: async (subject) => {
      let erased = 0;
      const before = clock.now() - ENDED_MIN_MS;
      for (const kind of kinds) {
        for (const { id, at } of await listAll(engine, { kind, status: 'done' })) {
          if (at > before || !(await isNamed(engine, id, subject))) continue;
          if (await tryPurge(engine, id)) erased += 1;
        }
      }
      return erased;
    },
  };
}

/** Matches whole strings only: `bob` does not match `bobby`. */
async function isNamed(engine: ActorEngine, id: string, subject: string): Promise<boolean> {
  const { context } = await engine.view(id);
  return includesString(context, subject);
}

function includesString(value: unknown, subject: string): boolean {
  if (typeof value === 'string') return value.toLowerCase() === subject;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => includesString(part, subject));
}
