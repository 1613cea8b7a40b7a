import type { Clock } from '../../domain/common/clock.ts';

/** Throttles a function: runs it at once after a pause, else when the interval has passed. */
export class Throttle {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #run: () => void;
  #cancel: (() => void) | undefined;
  #lastRunAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, everyMs: number, run: () => void) {
    this.#clock = clock;
    this.#intervalMs = everyMs;
    this.#run = run;
  }

  /** Requests a run; requests in between share one. */
  request(): void {
    if (this.#cancel !== undefined) return;
    const at = Math.max(this.#clock.now(), this.#lastRunAt + this.#intervalMs);
    this.#cancel = this.#clock.at(at, () => {
      this.#cancel = undefined;
      this.#lastRunAt = this.#clock.now();
      this.#run();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
