import type { Core } from '../engine/core.ts';
import { QueueLoad } from './queue-load.ts';
import { QueueOrder } from './queue-order.ts';
import type { SlotRow, WaitingRow } from './queue-ports.ts';
import type { QueueOptions } from './queue-types.ts';
import { PRIORITY_MAX, WAITING_MAX } from './queue-types.ts';

/** Maximum starts per run; then pending disk writes get a turn. */
const STARTS_MAX = 256;
/** Interval between checks for free disk space, in milliseconds. */
const DISK_RETRY_MS = 5_000;
/** Arrival numbers per millisecond; if more rows arrive, the numbers run ahead of the clock. */
const ARRIVALS_PER_MS = 1_000;

/** Starts a waiting actor. Resolves when the outcome is on disk, whatever it is. */
export type ActorStarter = (row: WaitingRow, queue: Queue) => Promise<unknown>;

/** A running queue: tracks running and waiting actors and schedules the next start. */
export class Queue {
  readonly options: QueueOptions;
  readonly load: QueueLoad;
  readonly #core: Core;
  readonly #order: QueueOrder;
  readonly #start: ActorStarter;
  #waiting: number;
  #lastArrival: number;
  #isPumpDue = false;
  /** True if all waiting rows were checked and each is blocked by its key. */
  #isFullyScanned = true;
  #cancelWake: () => void = () => undefined;
  #nextDue: number | undefined;
  #isClosed = false;

  constructor(
    core: Core,
    options: QueueOptions,
    parts: { readonly start: ActorStarter; readonly isGone: (id: string) => boolean },
  ) {
    const { store } = core;
    const { name } = options;
    this.#core = core;
    this.options = options;
    this.#start = parts.start;
    this.load = new QueueLoad(options, (key) => store.rate(name, key));
    this.#order = new QueueOrder({
      page: (after, limit) => store.waiting(name, after, limit),
      keyPage: (key, after, limit) => store.waitingOf({ queue: name, key }, after, limit),
      // Rows of an undefined kind wait for a program that defines it.
      isUnavailable: ({ id, kind }) => parts.isGone(id) || !core.definitions.has(kind),
      keyReadyAt: (key, now) => this.load.keyReadyAt(key, now),
    });
    this.#waiting = store.waitingCount(name);
    this.#lastArrival = store.lastArrival(name);
  }

  /** Number of waiting actors, including those not on disk yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Returns when the next actor can start without another one ending first. */
  get nextDue(): number | undefined {
    return this.#nextDue;
  }

  get isFull(): boolean {
    return this.#waiting >= (this.options.waitingMax ?? WAITING_MAX);
  }

  /** Returns whether an actor can start immediately without overtaking a waiting one. */
  canStartNow(key: string): boolean {
    const now = this.#core.clock.now();
    if (this.#waiting > 0) {
      if (this.#isPumpDue || !this.#isFullyScanned) return false;
      if (this.#order.isParked(key, now)) return false;
    }
    return this.load.readyAt(now) <= now && this.load.keyReadyAt(key, now) <= now;
  }

  /** Returns the place of a row that arrives now. */
  nextPlace(priority: number): { readonly rank: number; readonly arrival: number } {
    const now = this.#core.clock.now();
    this.#lastArrival = Math.max(now * ARRIVALS_PER_MS, this.#lastArrival + 1);
    return { rank: PRIORITY_MAX - priority, arrival: this.#lastArrival };
  }

  /** Counts a row that will wait, before it is on disk. */
  countWaiting(): void {
    this.#waiting += 1;
  }

  onArrived(row: WaitingRow): void {
    this.#order.onArrived(row, this.#core.clock.now());
    this.pump();
  }

  /** Records that a row was removed. */
  onRemoved(id: string): void {
    this.#waiting -= 1;
    this.#order.onRemoved(id);
  }

  /** Records that an actor of this queue runs. */
  onStarted({ key }: SlotRow): void {
    this.load.addRunning(key);
  }

  /** Records that an actor of this queue has ended. */
  onEnded({ key }: SlotRow): void {
    this.load.removeRunning(key);
    this.#order.onEnded(key, this.#core.clock.now());
    this.pump();
  }

  /** Starts ready actors in a microtask, after the current work was committed. */
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
    this.#isFullyScanned = false;
    if (!store.hasRoom()) {
      this.#scheduleWake(clock.now() + DISK_RETRY_MS);
      return;
    }
    for (let starts = 0; starts < STARTS_MAX; starts += 1) {
      const now = clock.now();
      const readyAt = this.load.readyAt(now);
      if (readyAt > now) {
        this.#scheduleWake(Math.ceil(readyAt));
        return;
      }
      const row = this.#order.next(now);
      if (row === undefined) {
        this.#isFullyScanned = true;
        this.#scheduleWake(this.#order.wakeAt ?? Number.POSITIVE_INFINITY);
        return;
      }
      this.#waiting -= 1;
      const started = this.#start(row, this);
      this.#order.onStarted(row, now);
      if (starts + 1 === STARTS_MAX) this.#pumpAfter(started);
    }
  }

  /**
   * Waits for the commit, so that a queue of thousands of ready actors does not run ahead of the
   * disk.
   */
  #pumpAfter(started: Promise<unknown>): void {
    const goOn = (): void => this.pump();
    started.then(goOn, () => undefined);
  }

  #scheduleWake(at: number): void {
    if (!Number.isFinite(at) || this.#waiting === 0) return;
    this.#nextDue = at;
    this.#cancelWake = this.#core.clock.at(at, () => this.pump());
  }
}
