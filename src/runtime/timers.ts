import type { Core } from './core.ts';
import type { InternalLane } from './internal-lane.ts';
import type { DueTimer } from './ports.ts';
import type { Committed } from './recorder.ts';

/** Timers that fire in one go. */
const BATCH = 256;
/** How far ahead to look when the earliest rows are already on their way, in milliseconds. */
const LOOK_AHEAD_MS = 60_000;

/** Fires the timers of all actors. Their rows are the truth; here is only the next wake-up. */
export class Timers {
  readonly #core: Core;
  readonly #lane: InternalLane;
  /** Tokens of rows that were fired and are still in the store. */
  readonly #fired = new Set<string>();
  #committing = 0;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;
  #closed = false;

  constructor(core: Core, lane: InternalLane) {
    this.#core = core;
    this.#lane = lane;
  }

  /** Takes up the timers in the store. */
  start(): void {
    this.#arm();
  }

  /** Wakes up earlier when a committed change asks for it. */
  follow({ before, after }: Committed): void {
    if (before?.timers === after.timers) return;
    for (const row of after.timers.values()) {
      if (row.due < this.#wakeAt && before?.timers.get(row.timerId) !== row) this.#wake(row.due);
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #wake(at: number): void {
    if (this.#closed) return;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = this.#core.clock.at(at, () => this.#fire());
  }

  #arm(): void {
    this.#cancel();
    this.#wakeAt = Number.POSITIVE_INFINITY;
    const next = this.#next();
    if (next !== undefined) this.#wake(next);
  }

  #next(): number | undefined {
    const { store, clock } = this.#core;
    if (this.#fired.size === 0) return store.nextDue();
    const until = clock.now() + LOOK_AHEAD_MS;
    const rows = store.dueTimers(until, this.#fired.size + 1);
    const free = rows.find(({ row }) => !this.#fired.has(row.token));
    return free?.row.due ?? until;
  }

  #fire(): void {
    if (this.#closed) return;
    const { store, clock } = this.#core;
    const rows = store.dueTimers(clock.now(), this.#fired.size + BATCH);
    for (const due of rows) {
      if (!this.#fired.has(due.row.token)) this.#deliver(due);
    }
    this.#arm();
  }

  #deliver({ id, row }: DueTimer): void {
    const { token, timerId, event, due } = row;
    this.#fired.add(token);
    this.#core.observer?.timerFired(this.#core.clock.now() - due);
    const incoming = { event, cause: { by: 'timer', token } as const, timerId };
    const over = (): void => {
      this.#committing -= 1;
      this.#fired.delete(token);
      if (this.#committing === 0 && !this.#closed) this.#arm();
    };
    this.#lane
      .deliver(id, incoming, { isCurrent: (moment) => moment.timers.get(timerId)?.token === token })
      .then(({ committed }) => {
        this.#committing += 1;
        return committed.then(over, over);
      })
      .catch(() => undefined);
  }
}
