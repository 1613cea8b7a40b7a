import type { JournalEntry } from '../engine/types.ts';

/**
 * Follows an engine at work, for figures and traces. It is called in the middle of everything, so
 * it answers at once and keeps nothing that it is handed. What it throws is told as a notice.
 */
export interface EngineObserver {
  /** Measures durations: milliseconds that only grow, since any moment. */
  now(): number;
  /** A commit is on disk, `ms` after its first change came in. */
  committed(ms: number): void;
  /** A journal row is on disk. `trace` is the one its actor belongs to. */
  recorded(entry: JournalEntry, trace: string | undefined): void;
  /** A timer fires, `lateMs` after it was due. */
  timerFired(lateMs: number): void;
  /** An attempt of an effect begins. */
  effectBegan(attempt: EffectAttempt): void;
  /** The same attempt is over, after `ms`. */
  effectEnded(attempt: EffectAttempt, end: EffectEnd, ms: number): void;
}

/** One attempt of an effect; the same object at its beginning and its end. */
export interface EffectAttempt {
  readonly actorId: string;
  readonly kind: string;
  readonly src: string;
  readonly input: unknown;
  readonly token: string;
  /** 1 on the first. */
  readonly attempt: number;
  readonly trace: string | undefined;
}

/**
 * How an attempt ended. `later` waits for an answer from outside, `stopped` was cut short by its
 * machine or by the engine's close.
 */
export interface EffectEnd {
  readonly outcome: 'done' | 'later' | 'failed' | 'stopped';
  /** Name or code of the error, of `failed` alone. */
  readonly error?: string;
}

/** The same observer, whose faults are told and do no harm. It makes no closure for an event. */
export class HarmlessObserver implements EngineObserver {
  readonly #observer: EngineObserver;
  readonly #tell: (cause: unknown) => void;

  constructor(observer: EngineObserver, tell: (cause: unknown) => void) {
    this.#observer = observer;
    this.#tell = tell;
  }

  now(): number {
    return this.#observer.now();
  }

  committed(ms: number): void {
    try {
      this.#observer.committed(ms);
    } catch (cause) {
      this.#tell(cause);
    }
  }

  recorded(entry: JournalEntry, trace: string | undefined): void {
    try {
      this.#observer.recorded(entry, trace);
    } catch (cause) {
      this.#tell(cause);
    }
  }

  timerFired(lateMs: number): void {
    try {
      this.#observer.timerFired(lateMs);
    } catch (cause) {
      this.#tell(cause);
    }
  }

  effectBegan(attempt: EffectAttempt): void {
    try {
      this.#observer.effectBegan(attempt);
    } catch (cause) {
      this.#tell(cause);
    }
  }

  effectEnded(attempt: EffectAttempt, end: EffectEnd, ms: number): void {
    try {
      this.#observer.effectEnded(attempt, end, ms);
    } catch (cause) {
      this.#tell(cause);
    }
  }
}
