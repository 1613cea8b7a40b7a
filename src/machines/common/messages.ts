/**
 * Emitted by a machine to send an event to another actor by its address. The runtime puts it into
 * the outbox of the same commit and delivers it exactly once.
 */
export interface ActorSend {
  readonly type: 'actor.send';
  readonly to: string;
  readonly event: { readonly type: string; readonly [key: string]: unknown };
}

/** Emitted by a machine to create another actor (idempotent), in the same way. */
export interface ActorCreate {
  readonly type: 'actor.create';
  readonly to: string;
  readonly kind: string;
  readonly input: unknown;
}
