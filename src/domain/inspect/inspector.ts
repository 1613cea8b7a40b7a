import type { Json } from '../common/json.ts';
import type { Action, ReadQuery, Topic } from './message.ts';
import type { HelloFrame, Push } from './wire.ts';

/** Exposes the runtime to consoles. All data that leaves it is redacted. */
export interface Inspector {
  hello(): HelloFrame;
  /**
   * Starts a subscription that pushes to `sink` until `close`. Nothing is queued here for a slow
   * client.
   *
   * @throws {AppError} `ACTOR_UNKNOWN`, `NOT_A_PANEL`
   */
  subscribe(topic: Topic, sink: PushSink): Promise<InspectSubscription>;
  /** @throws {AppError} `ACTOR_UNKNOWN`, `SEQ_UNKNOWN`, `JOURNAL_TRIMMED`, `REPLAY_VERSION_GONE` */
  read(reading: ReadQuery): Promise<Json>;
  /** @throws {AppError} `ACTION_OFF` if the operator has not enabled the action. */
  act(action: Action, by: string): Promise<Json>;
}

/** Receives the pushes of a subscription. */
export interface PushSink {
  /**
   * Accepts every push. It reaches the client even if the result is `false`.
   *
   * @returns Whether the client keeps up. After `false`, push nothing until
   * `InspectSubscription.resume` is called. Frames then contain the newest state, and rows continue
   * where they stopped.
   */
  push(push: PushBody): boolean;
}

/** A push without its subscription id, which the transport adds. */
export type PushBody = Push extends infer Each
  ? Each extends Push
    ? Omit<Each, 'sub'>
    : never
  : never;

/** A running subscription. */
export interface InspectSubscription {
  /** Signals that the client has caught up. */
  resume(): void;
  close(): void;
}
