import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/common/clock.ts';
import { pause } from '../../domain/common/pause.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';

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

/** Consecutive failures after which the circuit breaker opens. */
export const CIRCUIT_FAILURES = 5;
/** How long the circuit stays open, in milliseconds. Then one request probes the upstream. */
export const CIRCUIT_OPEN_MS = 30 * SECOND_MS;

/** A circuit breaker for one upstream. Times are in milliseconds. */
export class CircuitBreaker {
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;

  /**
   * Requests permission to send. The first request after the open period is a single probe.
   *
   * @returns Milliseconds to wait, 0 when it may be sent now.
   */
  acquire(now: number): number {
    if (this.#failures < CIRCUIT_FAILURES) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (this.#isProbing) return SECOND_MS;
    this.#isProbing = true;
    return 0;
  }

  /** Records the outcome of a request. Only failures of the upstream count. */
  recordOutcome(isFailure: boolean, now: number): void {
    this.#isProbing = false;
    this.#failures = isFailure ? this.#failures + 1 : 0;
    if (this.#failures >= CIRCUIT_FAILURES) this.#openUntil = now + CIRCUIT_OPEN_MS;
  }

  /** Records that nothing was sent after all, so the next request may probe. */
  release(): void {
    this.#isProbing = false;
  }
}

/**
 * Parses a Retry-After header, in seconds or as a date.
 *
 * @returns Milliseconds from now, or `undefined` if it is missing or malformed.
 */
export function parseRetryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND_MS;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Most answers in the cache. */
export const CACHED_ANSWERS_MAX = 500;
/** Most bytes of answers in the cache. */
export const CACHED_BYTES_MAX = 32_000_000;
/** Most bytes of one cached answer. A larger one would evict all others. */
export const CACHED_ANSWER_BYTES_MAX = 12_000_000;

/** A cached answer, to be returned again or revalidated. */
export interface CachedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly source: UnnumberedSource;
  /** Time until which it is fresh, in milliseconds. */
  readonly until: number;
}

/** A cache of answers by URL, however old. The least recently used are evicted first. */
export type AnswerCache = LRUCache<string, CachedAnswer>;

/** Creates an empty cache of answers. */
export function createAnswerCache(): AnswerCache {
  return new LRUCache({
    max: CACHED_ANSWERS_MAX,
    maxSize: CACHED_BYTES_MAX,
    maxEntrySize: CACHED_ANSWER_BYTES_MAX,
    // Every entry must have a size.
    sizeCalculation: ({ body }) => Math.max(1, body.byteLength),
  });
}

/** Returns the headers that revalidate a cached answer. They are empty if it has no validator. */
export function revalidationHeaders(
  kept: CachedAnswer | undefined,
): Readonly<Record<string, string>> {
  const etag = kept?.headers['etag'];
  const modified = kept?.headers['last-modified'];
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(modified === undefined ? {} : { 'if-modified-since': modified }),
  };
}
