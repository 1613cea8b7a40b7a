import type { Core } from '../engine/core.ts';
import { errorMessage } from './effect-error.ts';
import type { EffectRun } from './effect-run.ts';

const BACKOFF_BASE_MS = 250;
const BACKOFF_MAX_MS = 30_000;

/**
 * Evaluates the rules of an effect. A rule that throws or returns an invalid value is reported with
 * a notice. The effect then ends with its current failure.
 */
export class EffectRules {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  isRetryable({ actorId, row, effect }: EffectRun, error: unknown): boolean {
    try {
      return effect.isRetryable?.(error) ?? true;
    } catch (cause) {
      this.#report(actorId, `isRetryable of ${row.src} threw: ${errorMessage(cause)}`, cause);
      return false;
    }
  }

  /** Returns the milliseconds before the next attempt; `undefined` if there is none. */
  backoffMs({ actorId, row, effect }: EffectRun, attempt: number): number | undefined {
    if (effect.backoff === undefined) {
      return Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** attempt);
    }
    try {
      const ms: unknown = effect.backoff(attempt);
      if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return ms;
      const expected = 'a finite number of milliseconds from 0';
      this.#report(actorId, `backoff of ${row.src} returned ${String(ms)}; it must be ${expected}`);
    } catch (cause) {
      this.#report(actorId, `backoff of ${row.src} threw: ${errorMessage(cause)}`, cause);
    }
    return undefined;
  }

  /**
   * Returns the key of an effect's limit.
   *
   * @throws The error of the rule, after it was reported.
   */
  limitKey({ actorId, row, effect }: EffectRun): string {
    try {
      return String(effect.limit?.key(row.input as never));
    } catch (cause) {
      this.#report(actorId, `limit.key of ${row.src} threw: ${errorMessage(cause)}`, cause);
      throw cause;
    }
  }

  #report(actorId: string, message: string, cause?: unknown): void {
    this.#core.notice({ kind: 'effect_rule_failed', actorId, message, cause });
  }
}
