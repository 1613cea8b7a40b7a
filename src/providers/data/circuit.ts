import { SECOND_MS } from '../../domain/common/time.ts';

/** Failures in a row after which an upstream is left alone. */
export const CIRCUIT_FAILURES = 5;
/** How long it is left alone, in milliseconds; then one request tries it. */
export const CIRCUIT_OPEN_MS = 30 * SECOND_MS;

/** Leaves an upstream alone that fails again and again. Times are in milliseconds. */
export class Circuit {
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;

  /**
   * Asks whether a request may be sent; the first one after the rest is a probe, alone.
   *
   * @returns Milliseconds to wait, 0 when it may be sent now.
   */
  enter(now: number): number {
    if (this.#failures < CIRCUIT_FAILURES) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    if (this.#isProbing) return SECOND_MS;
    this.#isProbing = true;
    return 0;
  }

  /** Hears how a request went. Only what is the upstream's fault counts. */
  tell(isFailure: boolean, now: number): void {
    this.#isProbing = false;
    this.#failures = isFailure ? this.#failures + 1 : 0;
    if (this.#failures >= CIRCUIT_FAILURES) this.#openUntil = now + CIRCUIT_OPEN_MS;
  }

  /** Hears that nothing was sent after all: that tells nothing, and the next one may try. */
  leave(): void {
    this.#isProbing = false;
  }
}
