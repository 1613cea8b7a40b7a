import { DAY_MS } from '../../domain/common/time.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { alertKind } from '../alert/alert-definition.ts';
import { purgeDue } from '../common/actor-lists.ts';
import { NOTICE_KIND } from './notice-definition.ts';
import { webhookKind } from './webhook-definition.ts';

/** Retention of ended actors by kind, in milliseconds. */
export const ENDED_RETENTION_MS = {
  [NOTICE_KIND]: 7 * DAY_MS,
  [alertKind.kind]: 30 * DAY_MS,
  [webhookKind.kind]: DAY_MS,
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
  for (const [kind, retentionMs] of Object.entries(ENDED_RETENTION_MS)) {
    removed += await purgeDue(engine, {
      query: { kind, status: 'done' },
      isDue: ({ at }) => at < now - retentionMs,
      signal,
    });
  }
  return removed;
}
