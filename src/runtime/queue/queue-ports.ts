import type { Awaitable } from '../load/awaitable.ts';

/** A stored actor that waits in a queue. */
export interface WaitingRow {
  readonly queue: string;
  readonly id: string;
  readonly kind: string;
  readonly input?: unknown;
  /** Empty if there is no key. */
  readonly key: string;
  /** 0 for the highest priority. */
  readonly rank: number;
  /** Increases with every row of a queue. */
  readonly arrival: number;
  /** Time of enqueueing, in milliseconds. */
  readonly at: number;
}

/** Position of a waiting row in its queue: by rank, then by arrival. */
export type WaitingPlace = Pick<WaitingRow, 'rank' | 'arrival' | 'id'>;

/** A concurrency slot of a queue, held by an actor from its start to its end. */
export interface SlotRow {
  readonly id: string;
  readonly queue: string;
  /** Empty if there is no key. */
  readonly key: string;
}

/** Usage of a rate. */
export interface RateRow {
  readonly queue: string;
  /** Empty for the whole queue. */
  readonly key: string;
  /** When the rate is unused again, in milliseconds; the row is obsolete then. */
  readonly freshAt: number;
}

/** One write of the queues, as part of a batch. */
export type QueueWrite =
  | { readonly put: 'waiting'; readonly row: WaitingRow }
  | { readonly del: 'waiting'; readonly row: WaitingRow }
  | { readonly put: 'slot'; readonly row: SlotRow }
  | { readonly del: 'slot'; readonly id: string }
  | { readonly put: 'rate'; readonly row: RateRow; readonly before?: number };

/** Queue reads of an engine. See `EngineStore`. */
export interface QueueReads {
  /** Returns waiting rows of a queue, in order, after a place or from the start. */
  waiting(
    queue: string,
    after: WaitingPlace | undefined,
    limit: number,
  ): Awaitable<readonly WaitingRow[]>;
  /** Returns the same for one key; the empty key selects rows without one. */
  waitingOf(
    lane: { readonly queue: string; readonly key: string },
    after: WaitingPlace | undefined,
    limit: number,
  ): Awaitable<readonly WaitingRow[]>;
  waitingRow(id: string): Awaitable<WaitingRow | undefined>;
  waitingCount(queue: string): Awaitable<number>;
  /** Returns the highest `arrival` ever assigned in a queue; 0 if none. */
  lastArrival(queue: string): Awaitable<number>;
  slots(): Awaitable<readonly SlotRow[]>;
  /** Returns the `freshAt` of a rate row. */
  rate(queue: string, key: string): Awaitable<number | undefined>;
}

/** Compares places: negative if `a` is before `b`. */
export function comparePlaces(a: WaitingPlace, b: WaitingPlace): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.arrival !== b.arrival) return a.arrival - b.arrival;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
