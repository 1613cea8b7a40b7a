import { DAY_MS } from '../../domain/common/time.ts';
import { version, webhookMachine } from '../../machines/notification/webhook.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';

/** Kind of webhook actors. */
export const WEBHOOK_KIND = 'webhook';

/** Every event that passes by is a row. */
const KEEP = { rows: 500, ageMs: 7 * DAY_MS } as const;

/** The webhook actor: what it posts, its notices do. */
export function defineWebhook(): Definition {
  return define({
    kind: WEBHOOK_KIND,
    version,
    machine: webhookMachine,
    effects: {},
    keep: KEEP,
  });
}
