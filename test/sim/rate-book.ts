import type { Rate } from '../../src/runtime/queue/queue-types.ts';

/** Starts of a scope that are looked at; the bound over longer times follows from these. */
const STARTS_KEPT = 200;
/** Fractions are summed up in another order, in milliseconds. */
const SLACK_MS = 0.1;

/** The starts under one rate, and what every window of time may hold of them. */
export class RateBook {
  readonly #rate: Required<Rate>;
  readonly #starts: number[] = [];

  constructor({ max, perMs, burst = max }: Rate) {
    this.#rate = { max, perMs, burst };
  }

  /** Notes a start. Answers the first window that holds more than it may. */
  start(at: number): { readonly fromMs: number; readonly starts: number } | undefined {
    this.#starts.push(at);
    if (this.#starts.length > STARTS_KEPT) this.#starts.shift();
    const index = this.#starts.findIndex(
      (from, n) => this.#starts.length - n > this.#most(at - from),
    );
    if (index === -1) return undefined;
    return { fromMs: this.#starts[index] as number, starts: this.#starts.length - index };
  }

  /** True when one more start at this time would fit into every window. */
  allows(at: number): boolean {
    return this.#starts.every((from, n) => this.#starts.length - n + 1 <= this.#least(at - from));
  }

  #most(ms: number): number {
    const { max, perMs, burst } = this.#rate;
    return burst + ((ms + SLACK_MS) * max) / perMs;
  }

  #least(ms: number): number {
    const { max, perMs, burst } = this.#rate;
    return burst + ((ms - SLACK_MS) * max) / perMs;
  }
}
