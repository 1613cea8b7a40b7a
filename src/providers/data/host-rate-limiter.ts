import type { Clock } from '../../domain/common/clock.ts';
import { pause } from '../../domain/common/pause.ts';

/** The rate limit of one host. */
export interface RateLimit {
  readonly intervalMs: number;
  readonly concurrency: number;
}

/** Most requests in the queue of one host. Further ones are rejected. */
export const QUEUED_REQUESTS_MAX = 64;

/**
 * A rate limiter for one host. It enforces a minimum interval between requests and a maximum of
 * concurrent ones. A request that could not start before its deadline is rejected at once.
 */
export class HostRateLimiter {
  readonly #clock: Clock;
  readonly #pace: RateLimit;
  #nextAt = 0;
  #blockedUntil = 0;
  #running = 0;
  #queued = 0;
  readonly #waiters: (() => void)[] = [];

  constructor(clock: Clock, pace: RateLimit) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /**
   * Waits for permission to send.
   *
   * @param deadline - Latest start in milliseconds.
   * @returns A function that releases the slot, or `undefined` if there is none in time.
   */
  async acquire(deadline: number, signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#queued >= QUEUED_REQUESTS_MAX || this.#nextStart() > deadline) return undefined;
    this.#queued += 1;
    try {
      while (this.#running >= this.#pace.concurrency) {
        const isOver = await this.#waitForSlot(deadline, signal);
        if (isOver) return undefined;
      }
      const at = this.#nextStart();
      if (at > deadline) return undefined;
      this.#running += 1;
      this.#nextAt = at + this.#pace.intervalMs;
      await pause(this.#clock, at - this.#clock.now(), signal);
    } finally {
      this.#queued -= 1;
    }
    return () => this.#release();
  }

  /** Blocks requests until a time, as the host demanded. */
  blockUntil(at: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, at);
    this.#nextAt = Math.max(this.#nextAt, at);
  }

  /** Returns how long the host still blocks requests, in milliseconds, or 0. */
  blockedMs(): number {
    return Math.max(0, this.#blockedUntil - this.#clock.now());
  }

  #nextStart(): number {
    return Math.max(this.#clock.now(), this.#nextAt);
  }

  #release(): void {
    this.#running -= 1;
    this.#waiters.shift()?.();
  }

  /** @returns Whether the deadline passed before a slot became free. */
  #waitForSlot(deadline: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        off();
        signal?.removeEventListener('abort', late);
        const at = this.#waiters.indexOf(free);
        if (at >= 0) this.#waiters.splice(at, 1);
        resolve(isOver);
      };
      const free = () => end(false);
      const late = () => end(true);
      const off = this.#clock.at(deadline, late);
      signal?.addEventListener('abort', late, { once: true });
      this.#waiters.push(free);
    });
  }
}
