import type { ActorEngine, ListQuery, ListRow } from '../runtime/types.ts';
import { isEngineCode } from './engine-error.ts';

/** Every row of a listing, page after page. */
export async function listAll(engine: ActorEngine, query: ListQuery): Promise<readonly ListRow[]> {
  const rows: ListRow[] = [];
  let next: ListQuery | undefined = query;
  while (next !== undefined) {
    const { rows: found, cursor }: { readonly rows: readonly ListRow[]; readonly cursor?: string } =
      await engine.list(next);
    rows.push(...found);
    next = cursor === undefined ? undefined : { ...query, cursor };
  }
  return rows;
}

/** Removes a finished actor; one whose messages are still on their way stays. */
export async function isPurged(engine: ActorEngine, id: string): Promise<boolean> {
  try {
    await engine.purge(id);
    return true;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_ACTIVE') || isEngineCode(thrown, 'ACTOR_UNKNOWN')) return false;
    throw thrown;
  }
}
