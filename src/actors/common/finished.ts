import type { ActorEngine, ListQuery, ListRow, Page } from '../../runtime/engine/types.ts';
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

/** Finished actors that are removed at once: their commits share a flush of the disk. */
const PURGED_AT_ONCE = 32;

/** Which finished actors a sweep removes. */
export interface PurgeOrder {
  readonly query: ListQuery;
  /** Tells whether a row of the listing has been kept for long enough. */
  readonly isDue: (row: ListRow) => boolean;
  /** Ends the sweep early. */
  readonly signal?: AbortSignal;
}

/**
 * Removes every finished actor that is due, however many there are. One whose messages are still on
 * their way stays for the next sweep.
 *
 * @returns How many were removed.
 */
export async function purgeDue(
  engine: ActorEngine,
  { query, isDue, signal }: PurgeOrder,
): Promise<number> {
  let removed = 0;
  let ids: string[] = [];
  const purge = async (): Promise<void> => {
    const purged = await Promise.all(ids.map((id) => isPurged(engine, id)));
    removed += purged.filter(Boolean).length;
    ids = [];
  };
  for await (const row of listRows(engine, query)) {
    if (signal?.aborted === true) break;
    if (isDue(row)) ids.push(row.id);
    if (ids.length === PURGED_AT_ONCE) await purge();
  }
  if (signal?.aborted !== true) await purge();
  return removed;
}
