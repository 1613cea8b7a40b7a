import { AppError } from '../../domain/common/error.ts';
import type { Sealer } from '../../domain/common/sealer.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { WebhookDelivery } from '../../domain/notification/notifier.ts';
import { signDelivery } from '../../domain/notification/webhook-signature.ts';

/** Most bytes of a delivery. */
export const DELIVERY_BYTES_MAX = 16_384;

/** Most bytes of an answer that are read: only the status counts. */
export const ANSWER_BYTES_MAX = 1_024;
const ANSWER_MS = 10 * SECOND_MS;

/** The dependencies of webhook deliveries. */
export interface WebhookDeps {
  readonly egress: EgressPort;
  /** Returns the secret that a webhook's owner received. */
  readonly secretOf: (webhookId: string) => string;
  readonly sealer: Pick<Sealer, 'open'>;
  now(): number;
}

/**
 * Posts one signed event to a webhook. Only status 200 to 299 counts as delivered. A redirect is
 * not followed.
 *
 * @returns The status.
 * @throws {AppError} `EGRESS_BLOCKED` for addresses that are not public, other `EGRESS_…` codes
 */
export async function postWebhook(
  { egress, secretOf, sealer, now }: WebhookDeps,
  notice: WebhookDelivery,
  signal: AbortSignal,
): Promise<string> {
  const { webhookId, url, event, deliveryId, body, contentType, sealedHeaders } = notice;
  const bytes = new TextEncoder().encode(body);
  if (bytes.length > DELIVERY_BYTES_MAX) {
    throw new AppError('INVARIANT', { message: 'a delivery body must not exceed its limit' });
  }
  const seconds = Math.floor(now() / SECOND_MS);
  const { status } = await egress.fetch({
    url,
    method: 'POST',
    headers: {
      ...(sealedHeaders === undefined ? {} : JSON.parse(sealer.open(sealedHeaders, webhookId))),
      'content-type': contentType ?? 'application/json',
      'stoa-event': event,
      'stoa-delivery': deliveryId,
      'stoa-signature': signDelivery(secretOf(webhookId), seconds, body),
    },
    body: bytes,
    maxBytes: ANSWER_BYTES_MAX,
    truncate: true,
    totalTimeoutMs: ANSWER_MS,
    signal,
  });
  if (status >= 200 && status < 300) return String(status);
  throw new AppError('EGRESS_FAILED', {
    message: `The webhook answered with HTTP ${status}.`,
    data: { kind: 'status', status },
  });
}
