/** A text for the operator. */
export interface TextNotice {
  readonly kind: 'email' | 'whatsapp';
  /** One line. */
  readonly title: string;
  readonly text: string;
}

/** An event for a webhook; the body is signed as it stands. */
export interface WebhookNotice {
  readonly kind: 'webhook';
  readonly webhookId: string;
  readonly url: string;
  readonly event: string;
  /** The same on every try. */
  readonly deliveryId: string;
  /** JSON. */
  readonly body: string;
}

/** Something to be told. */
export type NoticeMessage = TextNotice | WebhookNotice;

/**
 * Tells people and programs outside. Each call is one try; the key lets the other side see that a
 * repeat is one.
 *
 * Throws `NOT_CONFIGURED` (never worth another try), `EGRESS_BLOCKED`, `EGRESS_FAILED` and
 * `EGRESS_TIMEOUT`.
 */
export interface Notifier {
  /** Channels that the operator has set up; the others say what is missing. */
  readonly missing: Readonly<Record<TextNotice['kind'], readonly string[]>>;
  /** @returns What the other side calls it, or its status. */
  send(
    message: NoticeMessage,
    options: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<string>;
}
