import { DAY_MS } from '../../domain/time.ts';
import { version, webhookMachine } from '../../machines/webhook.ts';
import { define } from '../../runtime/define.ts';
import type { Definition } from '../../runtime/types.ts';

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
