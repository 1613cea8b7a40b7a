import type { Clock } from '../../domain/common/clock.ts';
import { pause } from './pause.ts';

/** The rate limit of one host. */
export interface Pace {
  readonly intervalMs: number;
  readonly concurrency: number;
}

/** Most requests in the queue of one host. Further ones are rejected. */
export const TURNS_WAITING_MAX = 64;

/**
 * A rate limiter for one host. It enforces a minimum interval between requests and a maximum of
 * concurrent ones. A request that could not start before its deadline is rejected at once.
 */
export class HostPace {
  readonly #clock: Clock;
  readonly #pace: Pace;
  #nextAt = 0;
  #heldUntil = 0;
  #underWay = 0;
  #reserved = 0;
  readonly #freed: (() => void)[] = [];

  constructor(clock: Clock, pace: Pace) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /**
   * Waits for permission to send.
   *
   * @param deadline - Latest start in milliseconds.
   * @returns A function that releases the slot, or `undefined` if there is none in time.
   */
  async take(deadline: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#reserved >= TURNS_WAITING_MAX || this.#startOfNext() > deadline) return undefined;
    this.#reserved += 1;
    try {
      while (this.#underWay >= this.#pace.concurrency) {
        const isOver = await this.#freeOrLate(deadline, signal);
        if (isOver) return undefined;
      }
      const at = this.#startOfNext();
      if (at > deadline) return undefined;
      this.#underWay += 1;
      this.#nextAt = at + this.#pace.intervalMs;
      await pause(this.#clock, at - this.#clock.now(), signal);
    } finally {
      this.#reserved -= 1;
    }
    return () => this.#giveBack();
  }

  /** Blocks requests until a time, as the host demanded. */
  holdUntil(at: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, at);
    this.#nextAt = Math.max(this.#nextAt, at);
  }

  /** Returns how long the host still blocks requests, in milliseconds, or 0. */
  heldMs(): number {
    return Math.max(0, this.#heldUntil - this.#clock.now());
  }

  #startOfNext(): number {
    return Math.max(this.#clock.now(), this.#nextAt);
  }

  #giveBack(): void {
    this.#underWay -= 1;
    this.#freed.shift()?.();
  }

  /** @returns Whether the deadline passed before a slot became free. */
  #freeOrLate(deadline: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        off();
        signal?.removeEventListener('abort', late);
        const at = this.#freed.indexOf(free);
        if (at >= 0) this.#freed.splice(at, 1);
        resolve(isOver);
      };
      const free = () => end(false);
      const late = () => end(true);
      const off = this.#clock.at(deadline, late);
      signal?.addEventListener('abort', late, { once: true });
      this.#freed.push(free);
    });
  }
}
