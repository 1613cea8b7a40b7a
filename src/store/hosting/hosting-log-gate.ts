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
export class LogGate {
  readonly #rate: LogRate;
  readonly #levels = new Map<string, { tokens: number; at: number }>();

  constructor(rate: LogRate) {
    this.#rate = rate;
  }

  /**
   * Returns whether a line is accepted, and consumes its share of the rate.
   *
   * @param chars - Length of the line.
   */
  pass(resource: string, chars: number, now: number): boolean {
    const { linesPerSecond, burst } = this.#rate;
    const level = this.#levels.get(resource) ?? this.#enter(resource, now);
    const passedMs = Math.max(0, now - level.at);
    level.tokens = Math.min(burst, level.tokens + (passedMs * linesPerSecond) / 1_000);
    level.at = now;
    const cost = 1 + Math.floor(chars / LINE_CHARS);
    if (level.tokens < cost) return false;
    level.tokens -= cost;
    return true;
  }

  /** Description of the limit, for the line that reports rejected lines. */
  get words(): string {
    return `more than ${this.#rate.linesPerSecond} lines per second`;
  }

  #enter(resource: string, now: number): { tokens: number; at: number } {
    for (const oldest of this.#levels.keys()) {
      if (this.#levels.size < RESOURCES_MAX) break;
      this.#levels.delete(oldest);
    }
    const level = { tokens: this.#rate.burst, at: now };
    this.#levels.set(resource, level);
    return level;
  }
}
