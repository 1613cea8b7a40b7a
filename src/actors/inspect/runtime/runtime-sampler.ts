import type { Clock } from '../../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { RuntimeSource } from '../../../domain/inspect/runtime-source.ts';
import type { RuntimeFrame, RuntimeSample, StoreFamily } from '../../../domain/inspect/wire.ts';
import type { RuntimeCounters } from './runtime-counters.ts';

/** How long samples are kept, in milliseconds. */
export const HISTORY_MS = 10 * MINUTE_MS;
/** Sampling interval, in milliseconds. */
export const SAMPLE_INTERVAL_MS = SECOND_MS;
/** Maximum age of the cached store sizes, in milliseconds. */
export const STORE_CACHE_MS = 10 * SECOND_MS;
const SAMPLES_MAX = HISTORY_MS / SAMPLE_INTERVAL_MS;

/** Current values read for each sample. */
export type RuntimeGauges = Omit<
  RuntimeSample,
  'at' | 'events' | 'commits' | 'commitP50Ms' | 'commitP99Ms'
>;

/** Dependencies of the sampler. */
export interface RuntimeSamplerDeps {
  readonly clock: Clock;
  readonly counters: RuntimeCounters;
  /** Called once a second at all times, so it must be cheap. */
  gauges(): RuntimeGauges;
  /** Returns store sizes; called only while someone watches. */
  families(): readonly StoreFamily[];
}

/** Samples the process once a second between `start` and `stop`, and keeps 10 minutes. */
export class RuntimeSampler implements RuntimeSource {
  readonly #parts: RuntimeSamplerDeps;
  readonly #samples: RuntimeSample[] = [];
  readonly #listeners = new Set<(frame: RuntimeFrame) => void>();
  #families: { readonly at: number; readonly rows: readonly StoreFamily[] } | undefined;
  #rows = 0;
  #commits = 0;
  #sampledAt: number;
  #cancel: () => void = () => undefined;

  constructor(parts: RuntimeSamplerDeps) {
    this.#parts = parts;
    this.#sampledAt = parts.clock.now();
  }

  start(): void {
    const { clock } = this.#parts;
    this.#cancel = clock.at(clock.now() + SAMPLE_INTERVAL_MS, () => {
      this.start();
      this.#sample();
    });
  }

  stop(): void {
    this.#cancel();
    this.#listeners.clear();
  }

  history(): RuntimeFrame {
    return this.#frame(true, [...this.#samples]);
  }

  watch(listener: (frame: RuntimeFrame) => void): () => void {
    // Wrap the listener, so that registering it twice gives two independent watches.
    const watched = (frame: RuntimeFrame): void => listener(frame);
    this.#listeners.add(watched);
    return () => {
      this.#listeners.delete(watched);
    };
  }

  /** Returns store sizes that are at most 10 seconds old. */
  families(): readonly StoreFamily[] {
    const now = this.#parts.clock.now();
    if (this.#families === undefined || now - this.#families.at >= STORE_CACHE_MS) {
      this.#families = { at: now, rows: this.#parts.families() };
    }
    return this.#families.rows;
  }

  #sample(): void {
    const sample = this.#createSample();
    this.#samples.push(sample);
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    if (this.#listeners.size === 0) return;
    // All listeners share one frame, so that it can be serialized once.
    const frame = this.#frame(false, [sample]);
    for (const listener of this.#listeners) listener(frame);
  }

  #createSample(): RuntimeSample {
    const { clock, counters } = this.#parts;
    const { commits } = counters;
    const at = clock.now();
    // After a delay the interval is longer than one second, so compute rates.
    const seconds = Math.max(1, (at - this.#sampledAt) / SECOND_MS);
    const sample: RuntimeSample = {
      at,
      events: (counters.rows - this.#rows) / seconds,
      commits: (commits.count - this.#commits) / seconds,
      commitP50Ms: commits.recentQuantile(0.5),
      commitP99Ms: commits.recentQuantile(0.99),
      ...this.#parts.gauges(),
    };
    commits.mark();
    this.#rows = counters.rows;
    this.#commits = commits.count;
    this.#sampledAt = at;
    return sample;
  }

  #frame(isFirst: boolean, samples: readonly RuntimeSample[]): RuntimeFrame {
    const effects = this.#parts.counters.effects.map(({ load }) => load);
    return { topic: 'runtime', isFirst, samples, store: this.families(), effects };
  }
}
