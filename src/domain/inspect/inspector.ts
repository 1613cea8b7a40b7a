import type { Json } from '../common/json.ts';
import type { Action, Reading, Topic } from './message.ts';
import type { HelloFrame, Push } from './wire.ts';

/** Looks into the runtime for consoles. Everything that leaves it is redacted. */
export interface Inspector {
  hello(): HelloFrame;
  /**
   * Begins a subscription. Pushes go to `sink` until `end`; nothing is queued here for a client
   * that is slow.
   *
   * @throws {AppError} `ACTOR_UNKNOWN`, `NOT_A_PANEL`
   */
  subscribe(topic: Topic, sink: InspectSink): Promise<Inspection>;
  /** @throws {AppError} `ACTOR_UNKNOWN`, `SEQ_UNKNOWN`, `JOURNAL_TRIMMED`, `REPLAY_VERSION_GONE` */
  read(reading: Reading): Promise<Json>;
  /** @throws {AppError} `ACTION_OFF` when the operator has not turned it on. */
  act(action: Action, by: string): Promise<Json>;
}

/** Takes what a subscription pushes. */
export interface InspectSink {
  /**
   * Takes a push, always: also one that is answered with `false` will reach the client.
   *
   * @returns Whether the client keeps up. After `false` nothing may be pushed until
   * `Inspection.resume` is called; then frames hold the newest state, and rows go on where they
   * stopped.
   */
  push(push: PushBody): boolean;
}

/** A push without the id of its subscription, which the transport adds. */
export type PushBody = Push extends infer Each
  ? Each extends Push
    ? Omit<Each, 'sub'>
    : never
  : never;

/** One running subscription. */
export interface Inspection {
  /** The client has caught up. */
  resume(): void;
  end(): void;
}
