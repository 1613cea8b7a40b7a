import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import type { Sealer } from '../../domain/common/sealer.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { Notifier, TextMessage } from '../../domain/notification/notifier.ts';
import { sendMail } from './mail.ts';
import type { NotificationSettings } from './settings.ts';
import { postWebhook } from './webhook-post.ts';
import { sendWhatsapp } from './whatsapp.ts';

/** The dependencies of the notifier. */
export interface NotifierDeps {
  readonly settings: NotificationSettings;
  readonly egress: EgressPort;
  readonly secretOf: (webhookId: string) => string;
  /** Opens the secret headers of deliveries. */
  readonly sealer: Pick<Sealer, 'open'>;
  now(): number;
}

/**
 * Creates the notifier for mail, WhatsApp and webhooks. A channel without its variables names the
 * missing ones.
 */
export function createNotifier(parts: NotifierDeps): Notifier {
  const { settings, egress } = parts;
  return {
    missing: settings.missing,
    send: async (message, { key, signal }) => {
      switch (message.kind) {
        case 'webhook':
          return postWebhook(parts, message, signal);
        case 'email':
          if (settings.mail === null) throw notConfigured('email', settings);
          return sendMail(settings.mail, message, sha256Hex(key).slice(0, 40));
        case 'whatsapp':
          if (settings.whatsapp === null) throw notConfigured('whatsapp', settings);
          return sendWhatsapp({ egress, settings: settings.whatsapp }, message, signal);
      }
    },
  };
}

function notConfigured(kind: TextMessage['kind'], { missing }: NotificationSettings): AppError {
  const variables = missing[kind];
  return new AppError('NOT_CONFIGURED', {
    message: `To send ${kind} notifications, set ${variables.join(', ')}.`,
    data: { channel: kind, missing: variables },
  });
}
