import type { Awaitable, Reading } from '../load/awaitable.ts';
import { read } from '../load/awaitable.ts';
import { Heap } from './heap.ts';
import type { WaitingPlace, WaitingRow } from './queue-ports.ts';
import { comparePlaces } from './queue-ports.ts';

/** Rows read from the store per page. */
const PAGE_ROWS = 64;

/** Data from which the order of a queue is computed. */
export interface QueueView {
  page(after: WaitingPlace | undefined, limit: number): Awaitable<readonly WaitingRow[]>;
  keyPage(
    key: string,
    after: WaitingPlace | undefined,
    limit: number,
  ): Awaitable<readonly WaitingRow[]>;
  /**
   * Returns true for rows that cannot start, or that started or left although the store still has
   * them.
   */
  isUnavailable(row: WaitingRow): boolean;
  /** See `QueueLoad.keyReadyAt`. */
  keyReadyAt(key: string, now: number): Awaitable<number>;
}

/**
 * Finds the next row by rank and arrival, and skips rows whose key is full. The rows stay in the
 * store. This class holds only the read position and the keys with skipped rows. One operation runs
 * after the other.
 */
export class QueueOrder {
  readonly #view: QueueView;
  readonly #parked = new Map<string, 'blocked' | 'ready'>();
  readonly #ready = new Heap<ParkedHead>((a, b) => comparePlaces(a.place, b.place));
  readonly #wakes = new Heap<Wake>((a, b) => a.at - b.at);
  /** Every row up to here was returned or belongs to a parked key. */
  #cursor: WaitingPlace | undefined;
  #page: WaitingRow[] = [];
  #isAtEnd = false;

  constructor(view: QueueView) {
    this.#view = view;
  }

  /** Returns when the next parked key becomes ready by itself. */
  get wakeAt(): number | undefined {
    return this.#wakes.peek()?.at;
  }

  /** Returns true if rows of this key were skipped, so that newer ones must not overtake them. */
  isParked(key: string): boolean {
    return this.#parked.has(key);
  }

  /** Returns the next row that may start. Record its start and remove it before the next call. */
  *next(now: number): Reading<WaitingRow | undefined> {
    yield* this.wake(now);
    for (;;) {
      const scanned = yield* this.#scan(now);
      const head = this.#ready.peek();
      if (head === undefined || isBefore(scanned, head.place)) {
        if (scanned !== undefined) this.#advance(scanned);
        return scanned;
      }
      this.#ready.pop();
      const row = yield* this.#verifyHead(head, now);
      if (row !== undefined) return row;
    }
  }

  /** Records that a row returned by `next` has started. */
  *onStarted(row: WaitingRow, now: number): Reading<void> {
    if (this.#parked.has(row.key)) yield* this.#schedule(row.key, now);
  }

  /** Records that a row was added to the store. */
  *onArrived(row: WaitingRow, now: number): Reading<void> {
    const isAhead = this.#cursor === undefined || comparePlaces(row, this.#cursor) > 0;
    if (isAhead) {
      this.#isAtEnd = false;
      const last = this.#page.at(-1);
      if (last !== undefined && comparePlaces(row, last) < 0) this.#page = [];
      return;
    }
    yield* this.#schedule(row.key, now);
  }

  /** Records that a row was removed; it may already have been read. */
  onRemoved(id: string): void {
    this.#page = this.#page.filter((row) => row.id !== id);
  }

  /** Records that an actor with this key has ended. */
  *onEnded(key: string, now: number): Reading<void> {
    if (this.#parked.get(key) === 'blocked') yield* this.#schedule(key, now);
  }

  /** Continues the keys that are ready by now. */
  *wake(now: number): Reading<void> {
    for (;;) {
      const wake = this.#wakes.peek();
      if (wake === undefined || wake.at > now) return;
      this.#wakes.pop();
      yield* this.onEnded(wake.key, now);
    }
  }

  *#scan(now: number): Reading<WaitingRow | undefined> {
    for (;;) {
      const row = this.#page[0] ?? (yield* this.#nextPage());
      if (row === undefined) return undefined;
      const { key } = row;
      const isFree =
        !this.#view.isUnavailable(row) &&
        !this.#parked.has(key) &&
        (yield* read(this.#view.keyReadyAt(key, now))) <= now;
      if (isFree) return row;
      this.#advance(row);
      if (!this.#view.isUnavailable(row) && !this.#parked.has(key)) yield* this.#schedule(key, now);
    }
  }

  #advance(row: WaitingRow): void {
    this.#page.shift();
    this.#cursor = row;
  }

  *#nextPage(): Reading<WaitingRow | undefined> {
    while (!this.#isAtEnd) {
      const found = yield* read(this.#view.page(this.#cursor, PAGE_ROWS));
      // Rows being removed are skipped here; once gone, they could not be told apart from others.
      this.#page = found.filter((row) => !this.#view.isUnavailable(row));
      if (this.#page.length > 0) return this.#page[0];
      this.#cursor = found.at(-1) ?? this.#cursor;
      this.#isAtEnd = found.length === 0;
    }
    return undefined;
  }

  /** The first row of a key may have changed since it was recorded. */
  *#verifyHead({ key, place }: ParkedHead, now: number): Reading<WaitingRow | undefined> {
    const row = yield* this.#findHead(key);
    const isStale =
      row === undefined ||
      comparePlaces(row, place) !== 0 ||
      (yield* read(this.#view.keyReadyAt(key, now))) > now;
    if (!isStale) return row;
    yield* this.#schedule(key, now);
    return undefined;
  }

  /** Schedules when the skipped rows of a key continue. */
  *#schedule(key: string, now: number): Reading<void> {
    const at = yield* read(this.#view.keyReadyAt(key, now));
    if (at > now) {
      this.#parked.set(key, 'blocked');
      if (Number.isFinite(at)) this.#wakes.push({ at: Math.ceil(at), key });
      return;
    }
    const row = yield* this.#findHead(key);
    if (row === undefined || this.#cursor === undefined || comparePlaces(row, this.#cursor) > 0) {
      this.#parked.delete(key);
      return;
    }
    this.#parked.set(key, 'ready');
    this.#ready.push({ key, place: row });
  }

  *#findHead(key: string): Reading<WaitingRow | undefined> {
    let after: WaitingPlace | undefined;
    for (;;) {
      const rows = yield* read(this.#view.keyPage(key, after, PAGE_ROWS));
      const found = rows.find((row) => !this.#view.isUnavailable(row));
      if (found !== undefined || rows.length < PAGE_ROWS) return found;
      after = rows.at(-1);
    }
  }
}

interface ParkedHead {
  readonly key: string;
  readonly place: WaitingPlace;
}

interface Wake {
  readonly at: number;
  readonly key: string;
}

function isBefore(row: WaitingRow | undefined, place: WaitingPlace): boolean {
  return row !== undefined && comparePlaces(row, place) < 0;
}
