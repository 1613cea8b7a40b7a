import type {
  Ack,
  CreateOptions,
  EffectContext,
  Enqueued,
  Ev,
  TellOptions,
} from '../engine/types.ts';

/** What the actors of a machine get in addition, such as a callback actor. */
export interface ActorEffectContext extends EffectContext {
  /** Gives the machine a snapshot of the actor, if its `onSnapshot` asks for it. */
  sendSnapshot(context: unknown): void;
}

/** The part of an attempt's context that does not depend on its time. */
export type AttemptContext = Omit<ActorEffectContext, 'signal' | 'now' | 'heartbeat'>;

/** Engine functions available to effects. */
export interface EffectApi {
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  create(kind: string, id: string, input: unknown, o?: CreateOptions): Promise<Ack>;
  enqueue(queue: string, kind: string, id: string, input: unknown): Promise<Enqueued>;
  show(id: string, event: Ev): void;
}
