import type { EventQuery, Paged } from './hosting.ts';
import type { ServiceEvent } from './records.ts';

/** An event as a row of an actor's journal brought it about. */
export interface HappenedEvent {
  readonly event: ServiceEvent;
  /** Place of the row over all actors, and of the event within the row. */
  readonly globalSeq: number;
  readonly n: number;
}

/** The history of services. It is written from the journals of actors, and from nothing else. */
export interface ServiceHistory {
  /** The first row of the feed of actors that has not been read for it. */
  readonly position: number;
  /** Keeps events and how far the feed was read, in one commit. Safe to repeat. */
  append(events: readonly HappenedEvent[], position: number): Promise<void>;
  /**
   * Events of a service, newest first.
   *
   * @throws {AppError} `INPUT_INVALID` for a cursor or a limit that is none.
   */
  list(query: EventQuery): Paged<ServiceEvent>;
  /** Removes events from before a time, in milliseconds; a bounded number a call. */
  trim(before: number): Promise<number>;
}
