import type { Core } from '../engine/core.ts';
import type { InternalLane } from '../engine/internal-lane.ts';
import type { DueTimer } from '../engine/ports.ts';
import type { Committed } from '../journal/recorder.ts';

/** Timers fired per batch. */
const BATCH = 256;

/**
 * Fires the timers of all actors. Their rows are authoritative; only the next wake-up is held here.
 */
export class Timers {
  readonly #core: Core;
  readonly #lane: InternalLane;
  /** Tokens of rows that were fired and are still in the store. */
  readonly #fired = new Set<string>();
  /** How far the rows were read: up to that row, or all that are due by that time. */
  #read: DueTimer | number = Number.NEGATIVE_INFINITY;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(core: Core, lane: InternalLane) {
    this.#core = core;
    this.#lane = lane;
  }

  /** Schedules the timers in the store. */
  start(): void {
    this.#scheduleNext();
  }

  /** Wakes up earlier if a committed change requires it. */
  onCommitted({ before, after }: Committed): void {
    if (before?.timers === after.timers) return;
    for (const row of after.timers.values()) {
      if (before?.timers.get(row.timerId) !== row) this.#rewind(row.due);
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  /** Reads again from an earlier time than the current read position. */
  #rewind(due: number): void {
    const read = typeof this.#read === 'number' ? this.#read : this.#read.row.due;
    if (due <= read) this.#read = due - 1;
    if (due < this.#wakeAt) this.#wake(due);
  }

  #wake(at: number): void {
    if (this.#closed) return;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = this.#core.clock.at(at, () => this.#fire());
  }

  #scheduleNext(): void {
    this.#cancel();
    this.#wakeAt = Number.POSITIVE_INFINITY;
    const [next] = this.#core.store.dueTimers(Number.POSITIVE_INFINITY, 1, this.#read);
    if (next !== undefined) this.#wake(next.row.due);
  }

  #fire(): void {
    if (this.#closed) return;
    const now = this.#core.clock.now();
    const rows = this.#core.store.dueTimers(now, BATCH, this.#read);
    this.#read = rows[BATCH - 1] ?? now;
    for (const due of rows) if (!this.#fired.has(due.row.token)) this.#deliver(due);
    this.#scheduleNext();
  }

  #deliver({ id, row }: DueTimer): void {
    const { token, timerId, event, due } = row;
    this.#fired.add(token);
    this.#core.observer?.timerFired(this.#core.clock.now() - due);
    const incoming = { event, cause: { by: 'timer', token } as const, timerId };
    const settle = (): void => {
      this.#fired.delete(token);
    };
    this.#lane
      .deliver(id, incoming, {
        isCurrent: (state) => state.timers.get(timerId)?.token === token,
        onUnloadable: settle,
      })
      .then(({ committed }) => committed.then(settle, settle))
      .catch(() => undefined);
  }
}
