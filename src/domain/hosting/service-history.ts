import type { EventQuery, Paged } from './hosting.ts';
import type { ServiceEvent } from './records.ts';

/** A service event that a journal row of an actor produced. */
export interface JournaledEvent {
  readonly event: ServiceEvent;
  /** Position of the row across all actors, and of the event within the row. */
  readonly globalSeq: number;
  readonly n: number;
}

/** The history of service events. It is built only from the journals of actors. */
export interface ServiceHistory {
  /** Position of the first unread row of the actor feed. */
  readonly position: number;
  /** Stores events and the feed position in one commit. Idempotent. */
  append(events: readonly JournaledEvent[], position: number): Promise<void>;
  /**
   * Returns the events of a service, newest first.
   *
   * @throws {AppError} `INPUT_INVALID` for an invalid cursor or limit.
   */
  list(query: EventQuery): Paged<ServiceEvent>;
  /** Deletes events before a time in milliseconds. Each call deletes a bounded number. */
  trim(before: number): Promise<number>;
}
