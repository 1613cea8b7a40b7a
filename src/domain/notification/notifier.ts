/** A text message for the operator. */
export interface TextMessage {
  readonly kind: 'email' | 'whatsapp';
  /** One line. */
  readonly title: string;
  readonly text: string;
}

/** An event for a webhook. The body is signed exactly as given. */
export interface WebhookDelivery {
  readonly kind: 'webhook';
  readonly webhookId: string;
  readonly url: string;
  readonly event: string;
  /** Constant over all attempts. */
  readonly deliveryId: string;
  /** JSON. */
  readonly body: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Secret headers as JSON, sealed about the webhook. */
  readonly sealedHeaders?: string;
}

/** A message to send. */
export type NoticeMessage = TextMessage | WebhookDelivery;

/**
 * Sends messages to people and programs. Each call is one attempt; the key lets the recipient
 * detect a repeat.
 *
 * Throws `NOT_CONFIGURED` (do not retry), `EGRESS_BLOCKED`, `EGRESS_FAILED` and `EGRESS_TIMEOUT`.
 */
export interface Notifier {
  /** Missing settings by channel; empty for a configured channel. */
  readonly missing: Readonly<Record<TextMessage['kind'], readonly string[]>>;
  /** @returns The id that the recipient assigned, or its status. */
  send(
    message: NoticeMessage,
    options: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<string>;
}
