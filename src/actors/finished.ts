import type { ActorEngine, ListQuery, ListRow, Page } from '../runtime/types.ts';
import { isEngineCode } from './engine-error.ts';

/** Every row of a listing, page after page. */
export async function listAll(engine: ActorEngine, query: ListQuery): Promise<readonly ListRow[]> {
  const rows: ListRow[] = [];
  for await (const row of listRows(engine, query)) rows.push(row);
  return rows;
}

/** Every row of a listing; a page is asked for when the one before it is read. */
export async function* listRows(engine: ActorEngine, query: ListQuery): AsyncIterable<ListRow> {
  let next: ListQuery | undefined = query;
  while (next !== undefined) {
    const page: Page<ListRow> = await engine.list(next);
    yield* page.rows;
    next = page.cursor === undefined ? undefined : { ...query, cursor: page.cursor };
  }
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
