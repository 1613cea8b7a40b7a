import type { RuntimeClock } from '../engine/ports.ts';

/**
 * Calls `run` once after `ms`, also if the clock is set meanwhile. A clock without `after` counts
 * by its time of day.
 *
 * @returns A function that cancels it.
 */
export function waitFor(clock: RuntimeClock, ms: number, run: () => void): () => void {
  return clock.after === undefined ? clock.at(clock.now() + ms, run) : clock.after(ms, run);
}

/** Calls listeners when a clock is set back. */
export class SetBackWatch {
  readonly #listeners = new Set<() => void>();
  #last: number | undefined;

  /** Adds a listener; returns a function that removes it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Compares the time with the last one. Small corrections of a clock do not count. */
  look(now: number): void {
    const isBack = this.#last !== undefined && now < this.#last - TOLERANCE_MS;
    this.#last = now;
    if (isBack) for (const listener of [...this.#listeners]) listener();
  }
}

const TOLERANCE_MS = 1_000;
