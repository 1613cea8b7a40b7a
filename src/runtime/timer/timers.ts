import type { ActorState } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import type { InternalLane } from '../engine/internal-lane.ts';
import type { DueTimer } from '../engine/ports.ts';
import type { Committed } from '../journal/recorder.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { isPromise, perform, read } from '../load/awaitable.ts';
import { Departed } from '../load/departed.ts';
import { findEarliest } from './earliest.ts';

/** Timers fired per batch. */
const BATCH = 256;

/**
 * Fires the timers of all actors. Their rows are authoritative; only the next wake-up is held here.
 */
export class Timers {
  readonly #core: Core;
  readonly #lane: InternalLane;
  /** Tokens of rows that were fired and that a read may still return. */
  readonly #fired = new Departed();
  /** Due times of rows that were fired and are still in the store, by token. */
  readonly #unsettled = new Map<string, number>();
  /** How far the rows were read: up to that row, or all that are due by that time. */
  #read: DueTimer | number = Number.NEGATIVE_INFINITY;
  #wakeAt = Number.POSITIVE_INFINITY;
  /** Present while rows are being read: the earliest due time that came since. */
  #cameAt: number | undefined;
  /** Whether the next timer was cancelled while it was being read. */
  #isOutdated = false;
  /** Whether the store answers later; then the next date is known from memory. */
  #answersLater = false;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(core: Core, lane: InternalLane) {
    this.#core = core;
    this.#lane = lane;
  }

  /** Schedules the timers in the store. */
  start(): Reading<void> {
    return this.#readOn({ isDue: false });
  }

  /**
   * Returns the due time of the earliest timer. If the store answers later, it is known from the
   * start on, and after a cancellation once the store has answered.
   */
  get nextDue(): number | undefined {
    if (this.#answersLater) return findEarliest([this.#wakeAt, ...this.#unsettled.values()]);
    const due = this.#core.store.nextDue();
    if (!isPromise(due)) return due;
    due.catch(() => undefined);
    return undefined;
  }

  /** Wakes up earlier if a committed change requires it. */
  onCommitted({ before, after }: Committed): void {
    if (before?.timers === after.timers) return;
    for (const row of after.timers.values()) {
      if (before?.timers.get(row.timerId) !== row) this.#rewind(row.due);
    }
    if (this.#answersLater && before !== undefined) this.#forgetCancelled(before, after);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  /** Reads again from an earlier time than the current read position. */
  #rewind(due: number): void {
    if (this.#cameAt === undefined) this.#readFrom(due);
    else this.#cameAt = Math.min(this.#cameAt, due);
    if (due < this.#wakeAt) this.#wake(due);
  }

  #readFrom(due: number): void {
    const position = typeof this.#read === 'number' ? this.#read : this.#read.row.due;
    if (due <= position) this.#read = due - 1;
  }

  /** Finds the next date again if its timer is gone. */
  #forgetCancelled(before: ActorState, after: ActorState): void {
    let isNextGone = false;
    for (const { timerId, token, due } of before.timers.values()) {
      if (after.timers.get(timerId)?.token === token || this.#fired.has(token)) continue;
      this.#unsettled.delete(token);
      isNextGone ||= due <= this.#wakeAt;
    }
    if (!isNextGone || this.#closed) return;
    if (this.#cameAt === undefined) this.#run(this.#readOn({ isDue: false }));
    else this.#isOutdated = true;
  }

  #wake(at: number): void {
    if (this.#closed) return;
    this.#cancel();
    this.#wakeAt = at;
    // What reads the rows now wakes up for them when it is done.
    if (this.#cameAt !== undefined) return;
    this.#cancel = this.#core.clock.at(at, () => this.#run(this.#readOn({ isDue: true })));
  }

  /** Fires what is due, and schedules the next timer. */
  *#readOn({ isDue }: { readonly isDue: boolean }): Reading<void> {
    if (this.#closed) return;
    this.#cancel();
    this.#cameAt = Number.POSITIVE_INFINITY;
    if (isDue) yield* read(this.#fire());
    let next: DueTimer | undefined;
    do {
      this.#isOutdated = false;
      this.#readFrom(this.#cameAt);
      const answer = this.#core.store.dueTimers(Number.POSITIVE_INFINITY, 1, this.#read);
      this.#answersLater ||= isPromise(answer);
      [next] = yield* read(answer);
    } while (this.#isOutdated);
    const came: number = this.#cameAt;
    this.#readFrom(came);
    this.#cameAt = undefined;
    this.#wakeAt = Number.POSITIVE_INFINITY;
    const at = findEarliest([next?.row.due, came]);
    if (at !== undefined) this.#wake(at);
  }

  #fire(): Awaitable<void> {
    const now = this.#core.clock.now();
    return this.#fired.during(this.#core.store.dueTimers(now, BATCH, this.#read), (rows) => {
      if (this.#closed) return;
      this.#read = rows[BATCH - 1] ?? now;
      for (const due of rows) if (!this.#fired.has(due.row.token)) this.#deliver(due);
    });
  }

  /** Without its timers an engine has failed. */
  #run(reading: Reading<void>): void {
    const done = perform(reading);
    if (isPromise(done)) done.catch((cause: unknown) => this.#core.committer.fail(cause));
  }

  #deliver({ id, row }: DueTimer): void {
    const { token, timerId, event, due } = row;
    this.#fired.add(token);
    this.#unsettled.set(token, due);
    this.#core.observer?.timerFired(this.#core.clock.now() - due);
    const incoming = { event, cause: { by: 'timer', token } as const, timerId };
    const settle = (): void => {
      this.#unsettled.delete(token);
      this.#fired.settle(token);
    };
    this.#lane
      .deliver(id, incoming, {
        isCurrent: (state) => state.timers.get(timerId)?.token === token,
        onUnloadable: () => this.#fired.settle(token),
      })
      .then(({ committed }) => committed.then(settle, settle))
      .catch(() => undefined);
  }
}
