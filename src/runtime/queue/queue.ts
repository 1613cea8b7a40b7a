import type { Core } from '../engine/core.ts';
import type { Write } from '../engine/ports.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { isPromise, perform, read } from '../load/awaitable.ts';
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

/** Starts a waiting actor. */
export type ActorStarter = (row: WaitingRow, queue: Queue) => Awaitable<Started>;

/** A computation on the order of a queue, which waits for nothing but rows. */
type Operation = () => Reading<void> | void;

/** A start whose outcome, whatever it is, is not on disk yet. */
export interface Started {
  readonly committed: Promise<unknown>;
}

/** A start that waits until its actor is loaded. */
interface Reservation {
  /** Writes of the rates that it is counted against; absent if it is not counted yet. */
  readonly rates?: readonly Write[];
  isRemoved: boolean;
}

const NOT_COUNTED = {};

/** Names a row apart from earlier and later ones of its actor. */
export function toKey({ queue, arrival, id }: WaitingRow): string {
  return `${queue}\n${arrival}\n${id}`;
}

/** What a queue needs of all queues. */
export interface QueueParts {
  readonly start: ActorStarter;
  /** Returns whether a row no longer waits although a read may return it. */
  readonly isGone: (row: WaitingRow) => boolean;
  /** Keeps `isGone` true for the rows of now until the returned function is called. */
  readonly holdGone: () => () => void;
}

/** A running queue: tracks running and waiting actors and schedules the next start. */
export class Queue {
  readonly options: QueueOptions;
  readonly load: QueueLoad;
  /** Lane of the starts. */
  readonly starts = {};
  readonly #core: Core;
  readonly #order: QueueOrder;
  readonly #start: ActorStarter;
  readonly #holdGone: QueueParts['holdGone'];
  #waiting = 0;
  #lastArrival = 0;
  #isPumpDue = false;
  /** Whether the store answers later; then operations on the order wait for each other. */
  #answersLater = false;
  readonly #operations: {
    readonly operation: Operation;
    readonly fail: (cause: unknown) => void;
  }[] = [];
  /** Actors that will start once they are loaded: their rates are counted, their slots reserved. */
  readonly #starting = new Map<string, Reservation>();
  /** True if all waiting rows were checked and each is blocked by its key. */
  #isFullyScanned = true;
  #cancelWake: () => void = () => undefined;
  #nextDue: number | undefined;
  #isClosed = false;

  constructor(core: Core, options: QueueOptions, parts: QueueParts) {
    const { store } = core;
    const { name } = options;
    this.#core = core;
    this.options = options;
    this.#start = parts.start;
    this.#holdGone = parts.holdGone;
    this.load = new QueueLoad(options, (key) => store.rate(name, key));
    this.#order = new QueueOrder({
      page: (after, limit) => store.waiting(name, after, limit),
      keyPage: (key, after, limit) => store.waitingOf({ queue: name, key }, after, limit),
      // Rows of an undefined kind wait for a program that defines it.
      isUnavailable: (row) =>
        parts.isGone(row) || this.#starting.has(toKey(row)) || !core.definitions.has(row.kind),
      keyReadyAt: (key, now) => this.load.keyReadyAt(key, now),
    });
  }

  /** Reads what counts from the first call on. */
  *open(): Reading<void> {
    const { store } = this.#core;
    const { name } = this.options;
    const waiting = store.waitingCount(name);
    this.#answersLater = isPromise(waiting);
    this.#waiting = yield* read(waiting);
    this.#lastArrival = yield* read(store.lastArrival(name));
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

  /** Reads what `canStartNow` needs. */
  prepareStart(key: string): Awaitable<void> {
    if (!this.#answersLater) return undefined;
    return new Promise((resolve, reject) => {
      this.#operate(() => this.#readLimits(key, resolve), reject);
    });
  }

  *#readLimits(key: string, done: () => void): Reading<void> {
    const now = this.#core.clock.now();
    yield* this.#order.wake(now);
    yield* read(this.load.readyAt(now));
    yield* read(this.load.keyReadyAt(key, now));
    done();
  }

  /** Returns whether an actor can start immediately without overtaking a waiting one. */
  canStartNow(key: string): boolean {
    const now = this.#core.clock.now();
    if (this.#waiting > 0) {
      if (this.#isPumpDue || !this.#isFullyScanned) return false;
      if (!this.#answersLater) this.#operate(() => this.#order.wake(now));
      if (this.#order.isParked(key)) return false;
    }
    return isPast(this.load.readyAt(now), now) && isPast(this.load.keyReadyAt(key, now), now);
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
    this.#operate(() => this.#order.onArrived(row, this.#core.clock.now()));
    this.pump();
  }

  /** Records that a row was removed. */
  onRemoved(row: WaitingRow): void {
    const reserved = this.#starting.get(toKey(row));
    if (reserved === undefined) this.#waiting -= 1;
    else reserved.isRemoved = true;
    this.#operate(() => this.#order.onRemoved(row.id));
  }

  /**
   * Ends the reservation of an actor that has been loaded and starts now.
   *
   * @returns `undefined` if the row was removed meanwhile, else the writes of its rates.
   */
  takeReserved(row: WaitingRow): Pick<Reservation, 'rates'> | undefined {
    const key = toKey(row);
    const reserved = this.#starting.get(key);
    if (reserved === undefined) return NOT_COUNTED;
    this.#starting.delete(key);
    if (reserved.isRemoved) {
      this.onEnded(row);
      return undefined;
    }
    this.load.removeRunning(row.key);
    return reserved;
  }

  #reserve(row: WaitingRow): void {
    const rates = this.load.consume(row.key, this.#core.clock.now());
    this.#starting.set(toKey(row), { rates, isRemoved: false });
    this.load.addRunning(row.key);
  }

  /** Records that an actor of this queue runs. */
  onStarted({ key }: SlotRow): void {
    this.load.addRunning(key);
  }

  /** Records that an actor of this queue has ended. */
  onEnded({ key }: SlotRow): void {
    this.load.removeRunning(key);
    this.#operate(() => this.#order.onEnded(key, this.#core.clock.now()));
    this.pump();
  }

  /** Starts ready actors in a microtask, after the current work was committed. */
  pump(): void {
    if (this.#isPumpDue || this.#isClosed || this.#waiting === 0) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      if (!this.#isClosed) this.#operate(() => this.#pump());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWake();
  }

  /**
   * Runs an operation on the order, after those that still wait for rows. If the store does not
   * answer, the engine has failed.
   */
  #operate(operation: Operation, onFailed: (cause: unknown) => void = () => undefined): void {
    const fail = (cause: unknown): void => {
      onFailed(cause);
      if (!this.#isClosed) this.#core.committer.fail(cause);
    };
    if (!this.#answersLater) {
      const done = operate(operation);
      if (isPromise(done)) done.catch(fail);
      return;
    }
    const own = { operation, fail };
    if (this.#operations.push(own) === 1) this.#runNext();
  }

  #runNext(): void {
    const [next] = this.#operations;
    if (next === undefined) return;
    const release = this.#holdGone();
    const done = operate(next.operation);
    const goOn = (): void => {
      release();
      this.#operations.shift();
      this.#runNext();
    };
    if (isPromise(done)) done.then(goOn).catch(next.fail);
    else goOn();
  }

  *#pump(): Reading<void> {
    const { clock, store } = this.#core;
    this.#cancelWake();
    this.#isFullyScanned = false;
    if (!store.hasRoom()) {
      this.#scheduleWake(clock.now() + DISK_RETRY_MS);
      return;
    }
    for (let starts = 0; starts < STARTS_MAX; starts += 1) {
      const now = clock.now();
      const readyAt = yield* read(this.load.readyAt(now));
      if (readyAt > now) {
        this.#scheduleWake(Math.ceil(readyAt));
        return;
      }
      const row = yield* this.#order.next(now);
      if (row === undefined) {
        this.#isFullyScanned = true;
        this.#scheduleWake(this.#order.wakeAt ?? Number.POSITIVE_INFINITY);
        return;
      }
      if (this.#isClosed) return;
      this.#waiting -= 1;
      if (this.#answersLater) this.#reserve(row);
      const started = this.#start(row, this);
      // A store that does not answer has ended the engine.
      if (isPromise(started)) started.catch(() => undefined);
      yield* this.#order.onStarted(row, now);
      if (starts + 1 === STARTS_MAX) this.#pumpAfter(started);
    }
    this.#nextDue = undefined;
  }

  /**
   * Waits for the commit, so that a queue of thousands of ready actors does not run ahead of the
   * disk.
   */
  #pumpAfter(started: Awaitable<Started>): void {
    const goOn = (): void => this.pump();
    const committed = isPromise(started)
      ? started.then((start) => start.committed)
      : started.committed;
    committed.then(goOn, () => undefined);
  }

  #scheduleWake(at: number): void {
    this.#nextDue = undefined;
    if (!Number.isFinite(at) || this.#waiting === 0) return;
    this.#nextDue = at;
    this.#cancelWake = this.#core.clock.at(at, () => this.pump());
  }
}

/** Returns whether a time is known and has come. */
function isPast(at: Awaitable<number>, now: number): boolean {
  return !isPromise(at) && at <= now;
}

function operate(operation: Operation): Awaitable<void> {
  const reading = operation();
  return reading === undefined ? undefined : perform(reading);
}
