import type { ActorEngine, ListQuery, ListRow, Page } from '../../runtime/types.ts';
import { isEngineCode } from '../engine-error.ts';
import { PAYMENT_KIND } from './definition.ts';

/** Most payments that one sweep removes. */
export const SWEEP_MAX = 1_000;

const FINAL = ['refused', 'released', 'failed', 'closed', 'refunded'] as const;

/**
 * Removes refused payments, and finished ones that ended before `before` (milliseconds). A spent
 * or expired authorization cannot come back, so its key needs no row for ever.
 *
 * @returns How many were removed, at most `SWEEP_MAX`.
 */
export async function sweepPayments(engine: ActorEngine, before: number): Promise<number> {
  let removed = 0;
  for (const state of FINAL) {
    for await (const { id, at } of payments(engine, state)) {
      if (state !== 'refused' && at >= before) continue;
      if (removed === SWEEP_MAX) return removed;
      if (await isPurged(engine, id)) removed += 1;
    }
  }
  return removed;
}

/** A payment whose messages are still on their way stays until a later sweep. */
async function isPurged(engine: ActorEngine, id: string): Promise<boolean> {
  try {
    await engine.purge(id);
    return true;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_ACTIVE')) return false;
    throw thrown;
  }
}

async function* payments(engine: ActorEngine, state: string): AsyncIterable<ListRow> {
  let query: ListQuery | undefined = { kind: PAYMENT_KIND, state };
  while (query !== undefined) {
    const page: Page<ListRow> = await engine.list(query);
    yield* page.rows;
    query = page.cursor === undefined ? undefined : { ...query, cursor: page.cursor };
  }
}
