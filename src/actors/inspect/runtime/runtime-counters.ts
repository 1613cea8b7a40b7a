import type { EffectLoad } from '../../../domain/inspect/wire.ts';
import type { JournalEntry, JournalKind } from '../../../runtime/engine/types.ts';
import type { EffectAttempt, EffectEnd, EngineObserver } from '../../../runtime/view/observer.ts';
import { RuntimeHistogram } from './runtime-histogram.ts';

/** Maximum number of separate effect counters; further ones are counted as `other`. */
export const EFFECT_COUNTERS_MAX = 128;

/** Returns the provider of an effect, from a small set such as `chain`, `openai`, `rules`. */
export type ProviderOf = (attempt: EffectAttempt) => string;

/** Number of journal rows of one actor kind. */
export interface KindCount {
  readonly kind: string;
  readonly rows: Record<JournalKind, number>;
}

/** Counters of one effect. */
export class EffectCount {
  readonly kind: string;
  readonly src: string;
  readonly provider: string;
  readonly ends: Record<EffectEnd['outcome'], number> = {
    done: 0,
    later: 0,
    failed: 0,
    stopped: 0,
  };
  readonly durations = new RuntimeHistogram();
  running = 0;
  retried = 0;

  constructor(kind: string, src: string, provider: string) {
    this.kind = kind;
    this.src = src;
    this.provider = provider;
  }

  get load(): EffectLoad {
    const { kind, src, provider, running, retried, ends, durations } = this;
    return {
      kind,
      src,
      provider,
      running,
      done: ends.done + ends.later,
      failed: ends.failed,
      retried,
      p50Ms: durations.quantile(0.5),
      p99Ms: durations.quantile(0.99),
    };
  }
}

/** Counts engine activity. Its size does not grow with the number of events. */
export class RuntimeCounters implements EngineObserver {
  readonly now: () => number;
  readonly commits = new RuntimeHistogram();
  readonly timersLate = new RuntimeHistogram();
  /** Number of journal rows of all kinds. */
  rows = 0;
  readonly #providerOf: ProviderOf;
  readonly #kinds = new Map<string, KindCount>();
  readonly #effects = new Map<string, EffectCount>();

  /** @param now - As `EngineObserver.now`. */
  constructor(now: () => number, providerOf: ProviderOf) {
    this.now = now;
    this.#providerOf = providerOf;
  }

  get kinds(): readonly KindCount[] {
    return [...this.#kinds.values()];
  }

  get effects(): readonly EffectCount[] {
    return [...this.#effects.values()];
  }

  committed(ms: number): void {
    this.commits.add(ms);
  }

  recorded({ kind, entry }: JournalEntry): void {
    this.rows += 1;
    let known = this.#kinds.get(kind);
    if (known === undefined) {
      known = { kind, rows: { event: 0, stale: 0, poison: 0 } };
      this.#kinds.set(kind, known);
    }
    known.rows[entry] += 1;
  }

  timerFired(lateMs: number): void {
    this.timersLate.add(Math.max(0, lateMs));
  }

  effectBegan(attempt: EffectAttempt): void {
    const count = this.#countOf(attempt);
    count.running += 1;
    if (attempt.attempt > 1) count.retried += 1;
  }

  effectEnded(attempt: EffectAttempt, { outcome }: EffectEnd, ms: number): void {
    const count = this.#countOf(attempt);
    count.running -= 1;
    count.ends[outcome] += 1;
    count.durations.add(ms);
  }

  #countOf(attempt: EffectAttempt): EffectCount {
    const { kind, src } = attempt;
    const provider = this.#providerOf(attempt);
    return (
      this.#effects.get(keyOf(kind, src, provider)) ??
      (this.#effects.size < EFFECT_COUNTERS_MAX
        ? this.#createCount(kind, src, provider)
        : (this.#effects.get(OTHER_KEY) ?? this.#createCount(OTHER, OTHER, OTHER)))
    );
  }

  #createCount(kind: string, src: string, provider: string): EffectCount {
    const count = new EffectCount(kind, src, provider);
    this.#effects.set(keyOf(kind, src, provider), count);
    return count;
  }
}

const OTHER = 'other';
const OTHER_KEY = keyOf(OTHER, OTHER, OTHER);

function keyOf(kind: string, src: string, provider: string): string {
  return `${kind}\n${src}\n${provider}`;
}
