import { setMaxListeners } from 'node:events';
import type { TargetLimits, TargetSpending } from '../../domain/audit/audit-target.ts';
import { AppError } from '../../domain/common/error.ts';

/** Default timeout of one answer, in milliseconds. */
export const CALL_MS_DEFAULT = 10_000;

/**
 * The budget of an opened target. Senders call `reserveRequest` first, and readers report to
 * `addBytes`. Both throw `AUDIT_BUDGET` once a limit is reached, so that nothing exceeds it.
 */
export class SpendingBudget {
  readonly #limits: TargetLimits;
  readonly #startedAt = performance.now();
  readonly #stop = new AbortController();
  #requests = 0;
  #bytes = 0;

  constructor(limits: TargetLimits, signal: AbortSignal | undefined) {
    this.#limits = limits;
    // There is one listener per running request, and a burst has many.
    setMaxListeners(0, this.#stop.signal);
    if (signal?.aborted === true) this.#stop.abort();
    else signal?.addEventListener('abort', () => this.#stop.abort(), { once: true });
  }

  /** Aborts when the caller or `stop` ends the target. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Counts one request of `bytes`.
   *
   * @param deadlineMs - The caller's timeout.
   * @returns The allowed timeout in milliseconds.
   * @throws {AppError} `AUDIT_BUDGET`, `AUDIT_STOPPED`
   */
  reserveRequest(bytes: number, deadlineMs = CALL_MS_DEFAULT): number {
    this.requireRunning();
    const leftMs = this.#limits.totalMs - this.#elapsed();
    if (leftMs <= 0) throw this.#budgetError('totalMs', this.#limits.totalMs);
    if (this.#requests >= this.#limits.requestsMax) {
      throw this.#budgetError('requestsMax', this.#limits.requestsMax);
    }
    this.#requests += 1;
    this.addBytes(bytes);
    return Math.min(deadlineMs, leftMs);
  }

  /** @throws {AppError} `AUDIT_BUDGET` */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytesMax)
      throw this.#budgetError('bytesMax', this.#limits.bytesMax);
  }

  /** @throws {AppError} `AUDIT_BUDGET` when the total time is used up. */
  requireTime(): void {
    if (this.#elapsed() >= this.#limits.totalMs)
      throw this.#budgetError('totalMs', this.#limits.totalMs);
  }

  /** @throws {AppError} `AUDIT_STOPPED` */
  requireRunning(): void {
    if (this.#stop.signal.aborted) throw new AppError('AUDIT_STOPPED');
  }

  /** Aborts running requests and rejects all later ones. */
  stop(): void {
    this.#stop.abort();
  }

  /** Returns the spending so far. */
  spent(): TargetSpending {
    return { requests: this.#requests, bytes: this.#bytes, ms: Math.round(this.#elapsed()) };
  }

  #elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  #budgetError(limit: keyof TargetLimits, allowed: number): AppError {
    return new AppError('AUDIT_BUDGET', { data: { limit, allowed, ...this.spent() } });
  }
}
