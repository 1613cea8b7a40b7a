import { DAY_MS } from '../../domain/common/time.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { ALERT_KIND } from '../alert/definition.ts';
import { purgeDue } from '../common/finished.ts';
import { NOTICE_KIND } from './definition.ts';
import { WEBHOOK_KIND } from './webhook-definition.ts';

/** Retention of ended actors by kind, in milliseconds. */
export const ENDED_KEPT_MS = {
  [NOTICE_KIND]: 7 * DAY_MS,
  [ALERT_KIND]: 30 * DAY_MS,
  [WEBHOOK_KIND]: DAY_MS,
} as const;

/**
 * Removes alerts, notices, and webhooks that ended long enough ago.
 *
 * @returns The number of removed actors.
 */
export async function sweepEnded(
  engine: ActorEngine,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<number> {
  let removed = 0;
  for (const [kind, keptMs] of Object.entries(ENDED_KEPT_MS)) {
    removed += await purgeDue(engine, {
      query: { kind, status: 'done' },
      isDue: ({ at }) => at < now - keptMs,
      signal,
    });
  }
  return removed;
}
