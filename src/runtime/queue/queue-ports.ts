/** An actor that waits in a queue, at rest. */
export interface WaitingRow {
  readonly queue: string;
  readonly id: string;
  readonly kind: string;
  readonly input?: unknown;
  /** Empty for none. */
  readonly key: string;
  /** 0 for the highest priority. */
  readonly rank: number;
  /** Rises with every row of a queue. */
  readonly arrival: number;
  /** Milliseconds. */
  readonly at: number;
}

/** Where a waiting row stands in its queue: by rank, then by arrival. */
export type WaitingPlace = Pick<WaitingRow, 'rank' | 'arrival' | 'id'>;

/** A place among those of a queue that run, held by an actor from its start to its end. */
export interface SlotRow {
  readonly id: string;
  readonly queue: string;
  /** Empty for none. */
  readonly key: string;
}

/** How far a rate is used up. */
export interface RateRow {
  readonly queue: string;
  /** Empty for the whole queue. */
  readonly key: string;
  /** When the rate is as if it had never been used, in milliseconds; the row says nothing then. */
  readonly freshAt: number;
}

/** One write of the queues, as part of a batch. */
export type QueueWrite =
  | { readonly put: 'waiting'; readonly row: WaitingRow }
  | { readonly del: 'waiting'; readonly row: WaitingRow }
  | { readonly put: 'slot'; readonly row: SlotRow }
  | { readonly del: 'slot'; readonly id: string }
  | { readonly put: 'rate'; readonly row: RateRow; readonly before?: number };

/** What an engine reads of its queues. See `EngineStore`. */
export interface QueueReads {
  /** Waiting rows of a queue, in order, behind a place or from the first one. */
  waiting(queue: string, after: WaitingPlace | undefined, limit: number): readonly WaitingRow[];
  /** The same for one key; the empty key stands for rows without one. */
  waitingOf(
    lane: { readonly queue: string; readonly key: string },
    after: WaitingPlace | undefined,
    limit: number,
  ): readonly WaitingRow[];
  waitingRow(id: string): WaitingRow | undefined;
  waitingCount(queue: string): number;
  /** Highest `arrival` that was ever given in a queue; 0 for none. */
  lastArrival(queue: string): number;
  slots(): readonly SlotRow[];
  /** `freshAt` of a rate row. */
  rate(queue: string, key: string): number | undefined;
}

/** Orders places: negative when `a` is before `b`. */
export function comparePlaces(a: WaitingPlace, b: WaitingPlace): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.arrival !== b.arrival) return a.arrival - b.arrival;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
