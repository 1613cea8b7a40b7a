import type { RuntimeClock } from '../engine/ports.ts';

/**
 * Longest single sleep. Node fires anything above 2^31 - 1 ms at once, and a short sleep notices
 * within a minute that the computer was suspended or its clock was set.
 */
const SLEEP_MAX_MS = 60_000;

/**
 * The computer's clock. Waits of any length come true, in sleeps of at most a minute; a sleep that
 * ends early goes on. Waits do not keep the process alive.
 */
export function systemClock(): RuntimeClock {
  return {
    now: () => Date.now(),
    at(at, run) {
      let timer: NodeJS.Timeout;
      const sleep = (): void => {
        const left = at - Date.now();
        timer = setTimeout(() => (Date.now() >= at ? run() : sleep()), clamp(left));
        timer.unref();
      };
      sleep();
      return () => clearTimeout(timer);
    },
  };
}

/** A clock that stands still until it is moved. */
export class SimulatedClock implements RuntimeClock {
  #now: number;
  #nextId = 0;
  readonly #waits = new Map<number, { readonly at: number; readonly run: () => void }>();
  readonly #settle: () => Promise<void>;

  /**
   * @param start - Milliseconds.
   * @param settle - Waits until what a callback began has come to rest. The default gives pending
   * promises and immediates many turns; pass one that knows of disk writes where there are some.
   */
  constructor(start = 0, settle: () => Promise<void> = turns) {
    this.#now = start;
    this.#settle = settle;
  }

  now(): number {
    return this.#now;
  }

  at(at: number, run: () => void): () => void {
    const id = this.#nextId++;
    this.#waits.set(id, { at, run });
    return () => {
      this.#waits.delete(id);
    };
  }

  /** Moves on by `ms`, see `set`. */
  async advance(ms: number): Promise<void> {
    await this.set(this.#now + ms);
  }

  /** Moves to `to` over every wait that is due on the way, in order, each at its own time. */
  async set(to: number): Promise<void> {
    await this.#settle();
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.at > to) break;
      this.#waits.delete(next.id);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await this.#settle();
    }
    this.#now = Math.max(this.#now, to);
    await this.#settle();
  }

  #earliest() {
    let found: { id: number; at: number; run: () => void } | undefined;
    for (const [id, wait] of this.#waits) {
      if (found === undefined || wait.at < found.at) found = { id, ...wait };
    }
    return found;
  }
}

const SETTLE_TURNS = 12;

async function turns(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), SLEEP_MAX_MS);
}
