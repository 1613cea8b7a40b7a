import type { Core } from '../engine/core.ts';
import type { EffectError, RetryRule } from '../engine/types.ts';
import type { Retry } from './attempt.ts';
import { errorMessage } from './effect-error.ts';
import type { EffectRun } from './effect-run.ts';

/** A failed attempt, for the rules of its effect. */
export interface FailedAttempt {
  readonly thrown: unknown;
  readonly error: EffectError;
  /** From 1. */
  readonly attempt: number;
}

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

  /** Returns what follows a failed attempt: a pause in milliseconds, nothing, or `backoff`. */
  findRetry(run: EffectRun, failure: FailedAttempt): Retry {
    const { actorId, row, effect } = run;
    const { thrown, error, attempt } = failure;
    let rule = 'isRetryable';
    try {
      if (effect.isRetryable?.(thrown) === false) return false;
      rule = 'retry';
      const pause = readRetryRule(effect.retry, { thrown, error, attempt });
      if (typeof pause === 'boolean' || (Number.isFinite(pause) && pause >= 0)) return pause;
      const expected = 'false or a finite number of milliseconds from 0';
      this.#report(
        actorId,
        `retry of ${row.src} returned ${String(pause)}; it must be ${expected}`,
      );
    } catch (cause) {
      this.#report(actorId, `${rule} of ${row.src} threw: ${errorMessage(cause)}`, cause);
    }
    return false;
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

function readRetryRule(rule: RetryRule | undefined, failure: FailedAttempt): Retry {
  const { thrown, error, attempt } = failure;
  if (rule === undefined) return true;
  if (typeof rule === 'function') return rule(thrown, attempt);
  const listed = [error.code, error.name].find(
    (key) => key !== undefined && Object.hasOwn(rule, key),
  );
  return listed === undefined ? true : (rule[listed] ?? true);
}
