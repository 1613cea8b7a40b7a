import { DAY_MS } from '../../domain/common/time.ts';
import { version, webhookMachine } from '../../machines/notification/webhook.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Kind } from '../../runtime/engine/types.ts';

/** Actor kind of webhooks. */
export const webhookKind: Kind<typeof webhookMachine> = {
  kind: 'webhook',
  machine: webhookMachine,
};

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
