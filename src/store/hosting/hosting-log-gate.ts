/** How many lines a resource may write; a long one counts once for each KiB. */
export interface LogRate {
  readonly linesPerSecond: number;
  /** Lines that may come at once after a time of silence. */
  readonly burst: number;
}

/** Characters of a line that count as one line. */
const LINE_CHARS = 1_024;
/** Resources whose rate is remembered; the one known longest goes first. */
const RESOURCES_MAX = 10_000;

/** Lets lines of each resource through at a rate, and refuses the others. */
export class LogGate {
  readonly #rate: LogRate;
  readonly #levels = new Map<string, { tokens: number; at: number }>();

  constructor(rate: LogRate) {
    this.#rate = rate;
  }

  /**
   * True when a line may pass, which it then has.
   *
   * @param chars - Its length.
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

  /** In words, for the line that says how many were refused. */
  get words(): string {
    return `more than ${this.#rate.linesPerSecond} lines a second`;
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
