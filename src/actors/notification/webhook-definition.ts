import { DAY_MS } from '../../domain/common/time.ts';
import { version, webhookMachine } from '../../machines/notification/webhook.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';

/** Actor kind of webhooks. */
export const webhookKind = { kind: 'webhook', machine: webhookMachine } as const;

/** Every relevant public event adds a journal row. */
const KEEP = { rows: 500, ageMs: 7 * DAY_MS } as const;

/** Creates the webhook actor. Its deliveries run in notice actors. */
export function defineWebhook(): Definition {
  return define({
    kind: webhookKind.kind,
    version,
    machine: webhookMachine,
    effects: {},
    keep: KEEP,
  });
}
