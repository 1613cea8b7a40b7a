import type { JournalEntry } from '../engine/types.ts';

/**
 * Observes an engine for metrics and traces. Its methods run synchronously on hot paths: return at
 * once and do not retain the arguments. An exception is reported as a notice.
 */
export interface EngineObserver {
  /** Returns a monotonic time in milliseconds, to measure durations. */
  now(): number;
  /** Called when a commit is on disk, `ms` after its first change was submitted. */
  committed(ms: number): void;
  /** Called when a journal row is on disk. `trace` is the one its actor belongs to. */
  recorded(entry: JournalEntry, trace: string | undefined): void;
  /** Called when a timer fires, `lateMs` after it was due. */
  timerFired(lateMs: number): void;
  /** Called when an attempt of an effect starts. */
  effectBegan(attempt: EffectAttempt): void;
  /** Called when the same attempt is over, after `ms`. */
  effectEnded(attempt: EffectAttempt, end: EffectEnd, ms: number): void;
}

/** One attempt of an effect; the same object at its start and its end. */
export interface EffectAttempt {
  readonly actorId: string;
  readonly kind: string;
  readonly src: string;
  readonly input: unknown;
  readonly token: string;
  /** 1 on the first attempt. */
  readonly attempt: number;
  readonly trace: string | undefined;
}

/**
 * Outcome of an attempt. `later` waits for an external result; `stopped` was interrupted by its
 * machine or by closing the engine.
 */
export interface EffectEnd {
  readonly outcome: 'done' | 'later' | 'failed' | 'stopped';
  /** Name or code of the error, only for `failed`. */
  readonly error?: string;
}

/**
 * Wraps an observer so that its exceptions are reported and harmless. It allocates no closure per
 * event.
 */
export class SafeObserver implements EngineObserver {
  readonly #observer: EngineObserver;
  readonly #reportError: (cause: unknown) => void;

  constructor(observer: EngineObserver, tell: (cause: unknown) => void) {
    this.#observer = observer;
    this.#reportError = tell;
  }

  now(): number {
    return this.#observer.now();
  }

  committed(ms: number): void {
    try {
      this.#observer.committed(ms);
    } catch (cause) {
      this.#reportError(cause);
    }
  }

  recorded(entry: JournalEntry, trace: string | undefined): void {
    try {
      this.#observer.recorded(entry, trace);
    } catch (cause) {
      this.#reportError(cause);
    }
  }

  timerFired(lateMs: number): void {
    try {
      this.#observer.timerFired(lateMs);
    } catch (cause) {
      this.#reportError(cause);
    }
  }

  effectBegan(attempt: EffectAttempt): void {
    try {
      this.#observer.effectBegan(attempt);
    } catch (cause) {
      this.#reportError(cause);
    }
  }

  effectEnded(attempt: EffectAttempt, end: EffectEnd, ms: number): void {
    try {
      this.#observer.effectEnded(attempt, end, ms);
    } catch (cause) {
      this.#reportError(cause);
    }
  }
}
