import type { JsonObject } from '../../domain/common/json.ts';

/** Input of a webhook. */
export interface WebhookInput {
  readonly webhookId: string;
  /** Wallet that registered it. */
  readonly owner: string;
  readonly url: string;
  /** Event types, or prefixes such as `job.*`. */
  readonly events: readonly string[];
  /** Subjects of public events, at least one of which must match; `*` for any. */
  readonly about: readonly string[];
  /** Public events before this position are not delivered. */
  readonly seq: number;
  /** Number of consecutive failed deliveries after which it is disabled. */
  readonly failuresMax: number;
}

/** Context of a webhook actor. */
export interface WebhookContext extends WebhookInput {
  /** Deliveries given up since the last accepted one. */
  readonly failures: number;
  readonly told: number;
  readonly taken: number;
}

/** An event that a webhook may deliver. */
export interface WebhookEvent {
  /** Event type, such as `job.released`. */
  readonly event: string;
  /** Identifies the event in every delivery of it. */
  readonly key: string;
  /** RFC 3339 time in UTC. */
  readonly at: string;
  readonly data: JsonObject;
}

/** Events that a webhook accepts. */
export type WebhookActorEvent =
  | ({ readonly type: 'WEBHOOK.EVENT' } & WebhookEvent)
  | ({
      readonly type: 'WEBHOOK.PUBLIC';
      readonly seq: number;
      readonly subjects: readonly string[];
    } & WebhookEvent)
  | { readonly type: 'WEBHOOK.PASSED'; readonly seq: number }
  | { readonly type: 'WEBHOOK.ENABLED'; readonly seq: number }
  | { readonly type: 'WEBHOOK.REMOVED' }
  | { readonly type: 'DELIVERY.ENDED'; readonly key: string; readonly isTaken: boolean };

/** Creates the initial context of a webhook. */
export function createWebhookContext({ input }: { readonly input: WebhookInput }): WebhookContext {
  return { ...input, failures: 0, told: 0, taken: 0 };
}

/** Returns whether a list of event types includes an event. */
export function isSubscribed(events: readonly string[], event: string): boolean {
  return events.some((one) =>
    one.endsWith('.*') ? event.startsWith(one.slice(0, -1)) : one === event,
  );
}

/** Returns whether a webhook covers events about these subjects. */
export function isAboutSubjects(about: readonly string[], subjects: readonly string[]): boolean {
  return about.some((one) => one === '*' || subjects.includes(one));
}

/** Returns the id of the notice that delivers an event to a webhook. */
export function createDeliveryId(webhookId: string, key: string): string {
  return `${webhookId}:${key}`;
}
