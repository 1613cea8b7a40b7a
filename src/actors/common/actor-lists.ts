import type { ActorEngine, ListQuery, ListRow, Page } from '../../runtime/engine/types.ts';
import { isEngineCode } from './engine-error.ts';

/** Returns all rows of a listing. */
export async function listAll(engine: ActorEngine, query: ListQuery): Promise<readonly ListRow[]> {
  const rows: ListRow[] = [];
  for await (const row of listRows(engine, query)) rows.push(row);
  return rows;
}

/** Iterates over all rows of a listing, loading pages on demand. */
export async function* listRows(engine: ActorEngine, query: ListQuery): AsyncIterable<ListRow> {
  let next: ListQuery | undefined = query;
  while (next !== undefined) {
    const page: Page<ListRow> = await engine.list(next);
    yield* page.rows;
    next = page.cursor === undefined ? undefined : { ...query, cursor: page.cursor };
  }
}

/** Purges a finished actor. Returns false if it still has undelivered messages or is gone. */
export async function tryPurge(engine: ActorEngine, id: string): Promise<boolean> {
  try {
    await engine.purge(id);
    return true;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_ACTIVE') || isEngineCode(thrown, 'ACTOR_UNKNOWN')) return false;
    throw thrown;
  }
}

/** Finished actors purged concurrently, so that their commits share a disk flush. */
const PURGE_CONCURRENCY = 32;

/** Selects the finished actors that a sweep purges. */
export interface PurgeOptions {
  readonly query: ListQuery;
  /** Returns whether the retention of a row has ended. */
  readonly isDue: (row: ListRow) => boolean;
  /** Stops the sweep early. */
  readonly signal?: AbortSignal;
}

/**
 * Purges every finished actor that is due. An actor with undelivered messages stays for the next
 * sweep.
 *
 * @returns The number of purged actors.
 */
export async function purgeDue(
  engine: ActorEngine,
  { query, isDue, signal }: PurgeOptions,
): Promise<number> {
  let removed = 0;
  let ids: string[] = [];
  const purge = async (): Promise<void> => {
    const purged = await Promise.all(ids.map((id) => tryPurge(engine, id)));
    removed += purged.filter(Boolean).length;
    ids = [];
  };
  for await (const row of listRows(engine, query)) {
    if (signal?.aborted === true) break;
    if (isDue(row)) ids.push(row.id);
    if (ids.length === PURGE_CONCURRENCY) await purge();
  }
  if (signal?.aborted !== true) await purge();
  return removed;
}
