import type { Core } from '../engine/core.ts';
import { QueueLoad } from './queue-load.ts';
import { QueueOrder } from './queue-order.ts';
import type { SlotRow, WaitingRow } from './queue-ports.ts';
import type { QueueOptions } from './queue-types.ts';
import { PRIORITY_MAX, WAITING_MAX } from './queue-types.ts';

/** Starts in one go; then the disk gets its turn. */
const STARTS_MAX = 256;
/** Milliseconds until a queue looks again whether the disk has room. */
const ROOM_RETRY_MS = 5_000;
/** Arrivals in a millisecond of their own; more of them run ahead of the clock. */
const ARRIVALS_PER_MS = 1_000;

/** Starts a waiting actor; resolves when that is on disk, whatever became of it. */
export type Starter = (row: WaitingRow, queue: Queue) => Promise<unknown>;

/** One queue at work: who runs, who waits, and when the next one may start. */
export class Queue {
  readonly options: QueueOptions;
  readonly load: QueueLoad;
  readonly #core: Core;
  readonly #order: QueueOrder;
  readonly #start: Starter;
  #waiting: number;
  #lastArrival: number;
  #isPumpDue = false;
  /** True when all that wait were looked at, and each is held back by its key. */
  #isLookedThrough = true;
  #cancelWake: () => void = () => undefined;
  #nextDue: number | undefined;
  #isClosed = false;

  constructor(
    core: Core,
    options: QueueOptions,
    parts: { readonly start: Starter; readonly isGone: (id: string) => boolean },
  ) {
    const { store } = core;
    const { name } = options;
    this.#core = core;
    this.options = options;
    this.#start = parts.start;
    this.load = new QueueLoad(options, (key) => store.rate(name, key));
    this.#order = new QueueOrder({
      page: (after, limit) => store.waiting(name, after, limit),
      pageOf: (key, after, limit) => store.waitingOf({ queue: name, key }, after, limit),
      // Rows of a kind that is not defined here wait for a program that has it.
      isOut: ({ id, kind }) => parts.isGone(id) || !core.definitions.has(kind),
      keyReadyAt: (key, now) => this.load.keyReadyAt(key, now),
    });
    this.#waiting = store.waitingCount(name);
    this.#lastArrival = store.lastArrival(name);
  }

  /** Actors that wait, also those that are not on disk yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** When somebody may start without anybody ending first. */
  get nextDue(): number | undefined {
    return this.#nextDue;
  }

  get isFull(): boolean {
    return this.#waiting >= (this.options.waitingMax ?? WAITING_MAX);
  }

  /** Tells whether an actor may start at once, past nobody who waits for the same. */
  admits(key: string): boolean {
    const now = this.#core.clock.now();
    if (this.#waiting > 0) {
      if (this.#isPumpDue || !this.#isLookedThrough) return false;
      if (this.#order.isParked(key, now)) return false;
    }
    return this.load.readyAt(now) <= now && this.load.keyReadyAt(key, now) <= now;
  }

  /** The place of a row that comes now. */
  place(priority: number): { readonly rank: number; readonly arrival: number } {
    const now = this.#core.clock.now();
    this.#lastArrival = Math.max(now * ARRIVALS_PER_MS, this.#lastArrival + 1);
    return { rank: PRIORITY_MAX - priority, arrival: this.#lastArrival };
  }

  /** Counts a row that will wait; `arrived` follows when it is on disk. */
  expect(): void {
    this.#waiting += 1;
  }

  arrived(row: WaitingRow): void {
    this.#order.arrived(row, this.#core.clock.now());
    this.pump();
  }

  /** A row was taken out. */
  left(id: string): void {
    this.#waiting -= 1;
    this.#order.left(id);
  }

  /** An actor of this queue runs. */
  taken({ key }: SlotRow): void {
    this.load.taken(key);
  }

  /** An actor of this queue has ended. */
  freed({ key }: SlotRow): void {
    this.load.freed(key);
    this.#order.freed(key, this.#core.clock.now());
    this.pump();
  }

  /** Starts whoever may start, soon: what is going on now is committed first. */
  pump(): void {
    if (this.#isPumpDue || this.#isClosed || this.#waiting === 0) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      if (!this.#isClosed) this.#pump();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWake();
  }

  #pump(): void {
    const { clock, store } = this.#core;
    this.#cancelWake();
    this.#nextDue = undefined;
    this.#isLookedThrough = false;
    if (!store.hasRoom()) {
      this.#wakeAt(clock.now() + ROOM_RETRY_MS);
      return;
    }
    for (let starts = 0; starts < STARTS_MAX; starts += 1) {
      const now = clock.now();
      const readyAt = this.load.readyAt(now);
      if (readyAt > now) {
        this.#wakeAt(Math.ceil(readyAt));
        return;
      }
      const row = this.#order.next(now);
      if (row === undefined) {
        this.#isLookedThrough = true;
        this.#wakeAt(this.#order.wakeAt ?? Number.POSITIVE_INFINITY);
        return;
      }
      this.#waiting -= 1;
      const started = this.#start(row, this);
      this.#order.took(row, now);
      if (starts + 1 === STARTS_MAX) this.#goOnAfter(started);
    }
  }

  /** A queue of thousands that all may start does not run ahead of the disk. */
  #goOnAfter(started: Promise<unknown>): void {
    const goOn = (): void => this.pump();
    started.then(goOn, () => undefined);
  }

  #wakeAt(at: number): void {
    if (!Number.isFinite(at) || this.#waiting === 0) return;
    this.#nextDue = at;
    this.#cancelWake = this.#core.clock.at(at, () => this.pump());
  }
}
