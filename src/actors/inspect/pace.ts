import type { Clock } from '../../domain/common/clock.ts';

/** Throttles a function: runs it at once after a pause, else when the interval has passed. */
export class Pace {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #run: () => void;
  #cancel: (() => void) | undefined;
  #ranAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, everyMs: number, run: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#run = run;
  }

  /** Requests a run; requests in between share one. */
  ask(): void {
    if (this.#cancel !== undefined) return;
    const at = Math.max(this.#clock.now(), this.#ranAt + this.#everyMs);
    this.#cancel = this.#clock.at(at, () => {
      this.#cancel = undefined;
      this.#ranAt = this.#clock.now();
      this.#run();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
