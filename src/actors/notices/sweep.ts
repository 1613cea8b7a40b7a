import { DAY_MS } from '../../domain/time.ts';
import type { ActorEngine } from '../../runtime/types.ts';
import { ALERT_KIND } from '../alerts/definition.ts';
import { isPurged, listRows } from '../finished.ts';
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
    for await (const { id, at } of listRows(engine, { kind, status: 'done' })) {
      if (signal.aborted || removed === ENDED_SWEEP_MAX) return removed;
      if (at < now - keptMs && (await isPurged(engine, id))) removed += 1;
    }
  }
  return removed;
}
