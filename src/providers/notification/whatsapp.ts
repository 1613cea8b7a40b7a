import { AppError } from '../../domain/common/error.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { TextMessage } from '../../domain/notification/notifier.ts';
import type { WhatsappSettings } from './settings.ts';

const TEXT_CHARS_MAX = 1_000;
const ANSWER_BYTES_MAX = 16_384;

/**
 * Sends one message to the operator's number through the WhatsApp Cloud API.
 *
 * @returns The id of the message.
 * @throws {AppError} The `EGRESS_…` codes.
 */
export async function sendWhatsapp(
  { egress, settings }: { readonly egress: EgressPort; readonly settings: WhatsappSettings },
  notice: TextMessage,
  signal: AbortSignal,
): Promise<string> {
  const { baseUrl, phoneId, token } = settings;
  const { status, body } = await egress.fetch({
    url: `${baseUrl}/${phoneId}/messages`,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(createMessage(settings, notice))),
    maxBytes: ANSWER_BYTES_MAX,
    truncate: true,
    signal,
  });
  const id = status === 200 ? parseMessageId(body) : undefined;
  if (id !== undefined) return id;
  throw new AppError('EGRESS_FAILED', {
    message: `The messaging service rejected the message (HTTP ${status}).`,
    data: { kind: 'status', status },
  });
}

function createMessage({ to, template }: WhatsappSettings, { title, text }: TextMessage) {
  const shared = { messaging_product: 'whatsapp', recipient_type: 'individual', to };
  const body = `${title}\n${text}`.slice(0, TEXT_CHARS_MAX);
  if (template === null) return { ...shared, type: 'text', text: { body: body } };
  // A template parameter must not contain line breaks.
  const parameter = { type: 'text', text: body.replaceAll(/\s+/g, ' ') };
  return {
    ...shared,
    type: 'template',
    template: {
      name: template.name,
      language: { code: template.language },
      components: [{ type: 'body', parameters: [parameter] }],
    },
  };
}

function parseMessageId(body: Uint8Array): string | undefined {
  try {
    const answer = JSON.parse(new TextDecoder().decode(body)) as {
      readonly messages?: readonly { readonly id?: unknown }[];
    };
    const id = answer.messages?.[0]?.id;
    return typeof id === 'string' ? id.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
