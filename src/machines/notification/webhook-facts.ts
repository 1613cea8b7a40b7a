import type { JsonObject } from '../../domain/common/json.ts';

/** What a webhook is created with. */
export interface WebhookInput {
  readonly webhookId: string;
  /** Wallet that registered it. */
  readonly owner: string;
  readonly url: string;
  /** Types of events, or `job.*` for all that begin so. */
  readonly events: readonly string[];
  /** Whom public events must be about, one of them at least; `*` for anyone. */
  readonly about: readonly string[];
  /** Public events before this place are not told. */
  readonly seq: number;
  /** Deliveries that are given up one after the other until it is turned off. */
  readonly failuresMax: number;
}

/** A webhook as its actor keeps it. */
export interface WebhookContext extends WebhookInput {
  /** Deliveries that were given up since the last one that was taken. */
  readonly failures: number;
  readonly told: number;
  readonly taken: number;
}

/** Something that a webhook may tell. */
export interface WebhookEvent {
  /** Type, such as `job.released`. */
  readonly event: string;
  /** Says which happening this is: every telling of it carries it. */
  readonly key: string;
  /** RFC 3339, in UTC. */
  readonly at: string;
  readonly data: JsonObject;
}

/** Everything that a webhook takes. */
export type WebhookInbox =
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

/** A webhook on its first day. */
export function openedWebhook({ input }: { readonly input: WebhookInput }): WebhookContext {
  return { ...input, failures: 0, told: 0, taken: 0 };
}

/** Tells whether a list of event types has this one. */
export function wants(events: readonly string[], event: string): boolean {
  return events.some((one) =>
    one.endsWith('.*') ? event.startsWith(one.slice(0, -1)) : one === event,
  );
}

/** Tells whether a webhook tells of events about these subjects. */
export function concerns(about: readonly string[], subjects: readonly string[]): boolean {
  return about.some((one) => one === '*' || subjects.includes(one));
}

/** Name of the notice that delivers an event to a webhook. */
export function deliveryIdOf(webhookId: string, key: string): string {
  return `${webhookId}:${key}`;
}
