import type { Cause, Ev } from '../engine/types.ts';
import type { EffectAttempt } from '../view/observer.ts';

/** A commit, before it is written. */
export interface CommitInfo {
  /** Number of rows that it writes or removes. */
  readonly writes: number;
  /** Ids of the actors whose journals get rows, each once. */
  readonly actorIds: readonly string[];
}

/** An event that an actor is about to process; also a timer, a result, or its creation. */
export interface MessageInfo {
  readonly actorId: string;
  readonly kind: string;
  readonly event: Ev;
  readonly cause: Cause;
  readonly trace: string | undefined;
}

/**
 * Code of a program around the work of an engine, such as tracing, metrics or an audit log. The
 * first of a list is the outermost.
 */
export interface Middleware {
  /**
   * Runs around each commit, one after the other; call `next` once. If it throws, the commit fails
   * as if the disk had failed: the engine ends with `STORE_FAILED`. Commits that are under way go
   * on.
   */
  commit?(next: () => Promise<void>, info: CommitInfo): Promise<void>;
  /**
   * Runs around each attempt of an effect, and returns its result, usually that of `next`. What it
   * throws is the error of the attempt, under the effect's rules of retry.
   */
  effect?(next: () => Promise<unknown>, info: EffectAttempt): Promise<unknown>;
  /**
   * Runs around the step of an actor, synchronously; call `next` once. If it throws, the event
   * counts as one that the machine cannot process: a caller gets `EVENT_POISON`; an event from the
   * engine is tried again and then becomes a dead letter.
   */
  message?(next: () => void, info: MessageInfo): void;
}
