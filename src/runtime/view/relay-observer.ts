import type { JournalEntry } from '../engine/types.ts';
import type { EffectAttempt, EffectEnd, EngineObserver } from './observer.ts';

/** Passes what an engine reports to any number of observers, which come and go. */
export class RelayObserver implements EngineObserver {
  readonly now: () => number;
  readonly #observers = new Set<EngineObserver>();

  /** @param now - As `EngineObserver.now`. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** Adds an observer. Returns a function that removes it. */
  add(observer: EngineObserver): () => void {
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
    };
  }

  committed(ms: number): void {
    for (const observer of this.#observers) observer.committed(ms);
  }

  recorded(entry: JournalEntry, trace: string | undefined): void {
    for (const observer of this.#observers) observer.recorded(entry, trace);
  }

  timerFired(lateMs: number): void {
    for (const observer of this.#observers) observer.timerFired(lateMs);
  }

  effectBegan(attempt: EffectAttempt): void {
    for (const observer of this.#observers) observer.effectBegan(attempt);
  }

  effectEnded(attempt: EffectAttempt, end: EffectEnd, ms: number): void {
    for (const observer of this.#observers) observer.effectEnded(attempt, end, ms);
  }
}
