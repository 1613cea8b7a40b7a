import { SECOND_MS } from '../../domain/common/time.ts';

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
