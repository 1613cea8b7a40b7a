import type { Clock } from '../../domain/common/clock.ts';

/** Runs something at most once in a while: at once after a pause, else when the time has come. */
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

  /** Asks for a run; askers in between share one. */
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
