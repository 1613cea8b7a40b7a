/** Rate at which a resource may write lines; a long line counts once per KiB. */
export interface LogRate {
  readonly linesPerSecond: number;
  /** Maximum lines accepted at once after a pause. */
  readonly burst: number;
}

/** Characters that count as one line. */
const LINE_CHARS = 1_024;
/** Maximum resources tracked; the one tracked longest is dropped first. */
const RESOURCES_MAX = 10_000;

/** A token bucket rate limiter per resource. */
export class LogRateLimiter {
  readonly #rate: LogRate;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(rate: LogRate) {
    this.#rate = rate;
  }

  /**
   * Returns whether a line is accepted, and consumes its share of the rate.
   *
   * @param chars - Length of the line.
   */
  tryConsume(resource: string, chars: number, now: number): boolean {
    const { linesPerSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(resource) ?? this.#addBucket(resource, now);
    const passedMs = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs * linesPerSecond) / 1_000);
    bucket.at = now;
    const cost = 1 + Math.floor(chars / LINE_CHARS);
    if (bucket.tokens < cost) return false;
    bucket.tokens -= cost;
    return true;
  }

  /** Description of the limit, for the line that reports rejected lines. */
  get words(): string {
    return `more than ${this.#rate.linesPerSecond} lines per second`;
  }

  #addBucket(resource: string, now: number): { tokens: number; at: number } {
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size < RESOURCES_MAX) break;
      this.#buckets.delete(oldest);
    }
    const level = { tokens: this.#rate.burst, at: now };
    this.#buckets.set(resource, level);
    return level;
  }
}
