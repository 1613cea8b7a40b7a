import type { RuntimeClock } from '../engine/ports.ts';
import { SetBackWatch } from './clock-steps.ts';

/**
 * Maximum duration of a single sleep. Node fires anything above 2^31 - 1 ms immediately. A short
 * sleep also notices within a minute that the computer was suspended or its clock was set.
 */
const SLEEP_MAX_MS = 60_000;

/**
 * Returns the system clock. It supports waits of any length, in sleeps of at most one minute. Waits
 * do not keep the process alive.
 */
export function systemClock(): RuntimeClock {
  const watch = new SetBackWatch();
  return {
    now: () => Date.now(),
    onSetBack: (listener) => watch.add(listener),
    after(ms, run) {
      const end = performance.now() + ms;
      let timer: NodeJS.Timeout;
      const sleep = (): void => {
        const left = end - performance.now();
        timer = setTimeout(() => (performance.now() >= end ? run() : sleep()), clampSleep(left));
        timer.unref();
      };
      sleep();
      return () => clearTimeout(timer);
    },
    at(at, run) {
      let timer: NodeJS.Timeout;
      const sleep = (): void => {
        watch.look(Date.now());
        const left = at - Date.now();
        timer = setTimeout(() => (Date.now() >= at ? run() : sleep()), clampSleep(left));
        timer.unref();
      };
      sleep();
      return () => clearTimeout(timer);
    },
  };
}

/** A clock that only moves when told to. */
export class SimulatedClock implements RuntimeClock {
  #now: number;
  #nextId = 0;
  readonly #waits = new Map<number, Wait>();
  readonly #watch = new SetBackWatch();
  readonly #settle: () => Promise<void>;

  /**
   * @param start - Milliseconds since 1970.
   * @param settle - Waits until the work started by a callback has settled. The default runs a few
   * turns of the event loop; with real disk writes, pass a function that awaits them.
   */
  constructor(start = 0, settle: () => Promise<void> = waitTurns) {
    this.#now = start;
    this.#settle = settle;
  }

  now(): number {
    return this.#now;
  }

  at(at: number, run: () => void): () => void {
    return this.#add({ at, run, isSpan: false });
  }

  after(ms: number, run: () => void): () => void {
    return this.#add({ at: this.#now + ms, run, isSpan: true });
  }

  onSetBack(listener: () => void): () => void {
    return this.#watch.add(listener);
  }

  /**
   * Sets the clock to a later or an earlier time, as an operator or a time server does. What is due
   * by then fires at that time; what waits for a span goes on waiting.
   */
  async jump(to: number): Promise<void> {
    await this.#settle();
    this.#watch.look(this.#now);
    for (const [id, wait] of this.#waits) {
      if (wait.isSpan) this.#waits.set(id, { ...wait, at: wait.at + to - this.#now });
    }
    this.#now = to;
    this.#watch.look(to);
    await this.set(to);
  }

  /** Advances by `ms`, see `set`. */
  async advance(ms: number): Promise<void> {
    await this.set(this.#now + ms);
  }

  /**
   * Advances to `to` and fires every wait that is due on the way, in order, each at its own time.
   */
  async set(to: number): Promise<void> {
    await this.#settle();
    for (;;) {
      const due = this.#earliest();
      if (due === undefined || due.at > to) break;
      this.#waits.delete(due.id);
      this.#now = Math.max(this.#now, due.at);
      due.run();
      await this.#settle();
    }
    this.#now = Math.max(this.#now, to);
    await this.#settle();
  }

  #add(wait: Wait): () => void {
    const id = this.#nextId++;
    this.#waits.set(id, wait);
    return () => {
      this.#waits.delete(id);
    };
  }

  #earliest() {
    let found: (Wait & { readonly id: number }) | undefined;
    for (const [id, wait] of this.#waits) {
      if (found === undefined || wait.at < found.at) found = { id, ...wait };
    }
    return found;
  }
}

interface Wait {
  readonly at: number;
  readonly run: () => void;
  /** Whether it waits for a span and not for a time of day. */
  readonly isSpan: boolean;
}

const SETTLE_TURNS = 12;

async function waitTurns(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function clampSleep(ms: number): number {
  return Math.min(Math.max(ms, 0), SLEEP_MAX_MS);
}
