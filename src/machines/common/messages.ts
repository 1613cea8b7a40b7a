/**
 * Emitted by a machine to send an event to another actor. The runtime stores it in the outbox in
 * the same commit and delivers it exactly once.
 */
export interface ActorSend {
  readonly type: 'actor.send';
  readonly to: string;
  readonly event: { readonly type: string; readonly [key: string]: unknown };
}

/**
 * Emitted by a machine to create another actor. Idempotent, and delivered like {@link ActorSend}.
 */
export interface ActorCreate {
  readonly type: 'actor.create';
  readonly to: string;
  readonly kind: string;
  readonly input: unknown;
}
