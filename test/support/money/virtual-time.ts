import { setTimeout as realTimeout, setImmediate } from 'node:timers';
import { vi } from 'vitest';

/** Rounds of the event loop in which nothing happens, after which time passes. */
const IDLE_ROUNDS = 3;
/** Real milliseconds for which something may be under way that is not counted. */
const STALLED_MAX_MS = 10_000;
const STALL_MS = 10;

interface Timer {
  at: number;
  readonly everyMs: number | undefined;
  readonly act: () => void;
  /** Stopped with the life of the server that started it. */
  readonly isOfLife: boolean;
}

/**
 * Time that passes only while everybody waits for it: a pause of a minute takes no time, and the
 * same seed gives the same order of events. One is running at a time.
 */
export class VirtualTime {
  #nowMs: number;
  #timers = new Set<Timer>();
  #underWay = 0;
  #quietRounds = 0;
  #settled: (() => void) | undefined;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** Milliseconds, as `Date.now()` gives them. */
  readonly now = (): number => this.#nowMs;

  /** Begins anew; nobody waits any more. */
  reset(startMs: number): void {
    this.#nowMs = startMs;
    this.#timers.clear();
  }

  /** Lets time pass at once, as where a machine was asleep. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  /** Calls `act` after a time, and again after each such time where it is repeated. */
  after(delayMs: number, act: () => void, kind: { isOfLife?: boolean; isRepeated?: boolean } = {}) {
    const { isOfLife = false, isRepeated = false } = kind;
    const everyMs = isRepeated ? Math.max(1, delayMs) : undefined;
    const timer = { at: this.#nowMs + Math.max(0, delayMs), everyMs, act, isOfLife };
    this.#timers.add(timer);
    return timer;
  }

  readonly cancel = (timer: unknown): void => void this.#timers.delete(timer as Timer);

  /** Waits as the test does, which outlives a server. */
  rest(delayMs: number): Promise<void> {
    return new Promise((done) => void this.after(delayMs, done));
  }

  /** Forgets what a server waits for that is no more. */
  endLife(): void {
    for (const timer of this.#timers) if (timer.isOfLife) this.#timers.delete(timer);
  }

  /** Lets no time pass before something outside has answered. */
  async outside<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
      this.#quietRounds = 0;
      this.#settled?.();
    }
  }

  /** Lets time pass until the work has ended. @throws when nothing is left that could end it. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
      this.#settled?.();
    });
    ended.catch(() => undefined);
    for (let stalledMs = 0; ; ) {
      await this.#idle();
      if (isOver) return ended;
      const next = this.#first();
      if (next === undefined) {
        // A file may be read, which is not counted.
        if (stalledMs > STALLED_MAX_MS) throw new Error('everybody waits for nothing');
        await new Promise((done) => void realTimeout(done, STALL_MS));
        stalledMs += STALL_MS;
        continue;
      }
      stalledMs = 0;
      this.#nowMs = Math.max(this.#nowMs, next.at);
      if (next.everyMs === undefined) this.#timers.delete(next);
      else next.at = this.#nowMs + next.everyMs;
      next.act();
    }
  }

  async #idle(): Promise<void> {
    this.#quietRounds = 0;
    while (this.#quietRounds < IDLE_ROUNDS) {
      await new Promise<void>((done) => void setImmediate(done));
      this.#quietRounds += 1;
      while (this.#underWay > 0) {
        await new Promise<void>((settled) => {
          this.#settled = settled;
        });
      }
    }
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }
}

let running: VirtualTime | undefined;

/** Puts a virtual time in the place of the real one. @returns What takes it away again. */
export function passVirtually(time: VirtualTime): () => void {
  running = time;
  const start = (isRepeated: boolean) => (act: () => void, delayMs: number) =>
    Object.assign(time.after(delayMs, act, { isOfLife: true, isRepeated }), {
      unref: () => undefined,
    });
  vi.stubGlobal('setTimeout', start(false));
  vi.stubGlobal('clearTimeout', time.cancel);
  vi.stubGlobal('setInterval', start(true));
  vi.stubGlobal('clearInterval', time.cancel);
  const now = vi.spyOn(performance, 'now').mockImplementation(time.now);
  return () => {
    running = undefined;
    now.mockRestore();
    vi.unstubAllGlobals();
  };
}

type Sleep = typeof import('node:timers/promises').setTimeout;

/** The pause of `node:timers/promises` for `vi.mock`: virtual while a virtual time is running. */
export function virtualSleep(real: Sleep): Sleep {
  return <Value>(delayMs?: number, value?: Value, options?: Parameters<Sleep>[2]) => {
    const time = running;
    if (time === undefined) return real(delayMs, value, options);
    const signal = options?.signal;
    return new Promise<Value>((done, stop) => {
      const timer = time.after(delayMs ?? 0, () => done(value as Value), { isOfLife: true });
      signal?.addEventListener('abort', () => {
        time.cancel(timer);
        stop(signal.reason);
      });
    });
  };
}
