import { DAY_MS } from '../../domain/time.ts';
import type { ActorEngine, ListQuery, ListRow, Page } from '../../runtime/types.ts';
import { ALERT_KIND } from '../alerts/definition.ts';
import { isEngineCode } from '../engine-error.ts';
import { WEBHOOK_KIND } from '../webhooks/definition.ts';
import { NOTICE_KIND } from './definition.ts';

/** How long what has ended is kept, by kind, in milliseconds. */
export const ENDED_KEPT_MS = {
  [NOTICE_KIND]: 7 * DAY_MS,
  [ALERT_KIND]: 30 * DAY_MS,
  [WEBHOOK_KIND]: DAY_MS,
} as const;
/** Most actors that one sweep removes. */
export const ENDED_SWEEP_MAX = 5_000;

/** Removes alerts, notices and webhooks that ended long enough ago. @returns How many. */
export async function sweepEnded(
  engine: ActorEngine,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<number> {
  let removed = 0;
  for (const [kind, keptMs] of Object.entries(ENDED_KEPT_MS)) {
    for await (const { id, at } of endedOf(engine, kind)) {
      if (signal.aborted || removed === ENDED_SWEEP_MAX) return removed;
      if (at < now - keptMs && (await isPurged(engine, id))) removed += 1;
    }
  }
  return removed;
}

/** What still has messages on their way stays until a later sweep. */
async function isPurged(engine: ActorEngine, id: string): Promise<boolean> {
  try {
    await engine.purge(id);
    return true;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_ACTIVE')) return false;
    throw thrown;
  }
}

async function* endedOf(engine: ActorEngine, kind: string): AsyncIterable<ListRow> {
  let query: ListQuery | undefined = { kind, status: 'done' };
  while (query !== undefined) {
    const page: Page<ListRow> = await engine.list(query);
    yield* page.rows;
    query = page.cursor === undefined ? undefined : { ...query, cursor: page.cursor };
  }
}
