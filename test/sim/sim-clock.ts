import type { RuntimeClock } from '../../src/runtime/engine/ports.ts';
import type { Chance } from './chance.ts';
import type { Life } from './life.ts';
import { turn } from './life.ts';

/** 2026-01-01T00:00:00Z. */
export const SIM_START = 1_767_225_600_000;

/** A clock that a run moves: step by step over all waits, or in leaps that make waits late. */
export class SimClock {
  #now = SIM_START;
  #waits: Wait[] = [];

  now(): number {
    return this.#now;
  }

  /** Calls `run` once, at or after `at`, unless it is cancelled or its life is over by then. */
  at(at: number, run: () => void, life?: Life): () => void {
    const wait: Wait = { at, run, life };
    this.#waits.push(wait);
    return () => {
      const index = this.#waits.indexOf(wait);
      if (index !== -1) this.#waits.splice(index, 1);
    };
  }

  /** The clock as one process sees it. */
  of(life: Life): RuntimeClock {
    return { now: () => this.#now, at: (at, run) => this.at(at, run, life) };
  }

  /** When the next wait of a living process is due. */
  next(): number | undefined {
    this.#forget();
    return this.#waits.length === 0 ? undefined : Math.min(...this.#waits.map(({ at }) => at));
  }

  /**
   * Moves on over every wait at its own time; waits of one instant run in any order. Stops after
   * `most` waits.
   */
  async walk(to: number, o: Moving & { readonly most: number }): Promise<void> {
    // What is computed at one time is handed to the disk at that time.
    await turn();
    for (let fired = 0; fired < o.most; fired += 1) {
      const next = this.next();
      if (next === undefined || next > to) break;
      this.#now = Math.max(this.#now, next);
      await this.#fire(
        this.#waits.filter(({ at }) => at === next),
        o,
      );
    }
    const next = this.next() ?? to;
    this.#now = Math.max(this.#now, Math.min(to, next));
  }

  /** The computer slept: the time is another at once, and what was due meanwhile is late. */
  async leap(to: number, o: Moving): Promise<void> {
    await turn();
    this.#now = Math.max(this.#now, to);
    this.#forget();
    await this.#fire(
      this.#waits.filter(({ at }) => at <= this.#now),
      o,
    );
  }

  async #fire(due: readonly Wait[], { chance, settle }: Moving): Promise<void> {
    for (const wait of chance.shuffle(due)) {
      const index = this.#waits.indexOf(wait);
      if (index === -1 || wait.life?.isOver === true) continue;
      this.#waits.splice(index, 1);
      wait.run();
      await settle();
    }
  }

  #forget(): void {
    if (this.#waits.some(({ life }) => life?.isOver === true)) {
      this.#waits = this.#waits.filter(({ life }) => life?.isOver !== true);
    }
  }
}

/** How a move of the clock goes. */
export interface Moving {
  readonly chance: Chance;
  settle(): Promise<void>;
}

interface Wait {
  readonly at: number;
  readonly run: () => void;
  readonly life: Life | undefined;
}
