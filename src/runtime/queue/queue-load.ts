import type { Write } from '../engine/ports.ts';
import type { Awaitable } from '../load/awaitable.ts';
import { chain, isPromise } from '../load/awaitable.ts';
import type { QueueOptions, Rate } from './queue-types.ts';

/** Tolerance for rounding errors of summed fractions, in milliseconds. */
const ROUNDING_TOLERANCE_MS = 0.01;

/** Number of rates in memory above which unused ones are removed. */
const RATES_SWEPT_FROM = 1_024;

/** Tracks what a queue runs, in total and per key, and when its limits allow another start. */
export class QueueLoad {
  readonly #options: QueueOptions;
  readonly #readRate: (key: string) => Awaitable<number | undefined>;
  readonly #running = new Map<string, number>();
  /** `undefined` for a rate that the store has no row of. */
  readonly #rates = new Map<string, number | undefined>();
  #total = 0;
  #sweepFrom = RATES_SWEPT_FROM;

  /** @param stored - Reads the rate row of a key, or of the whole queue for the empty key. */
  constructor(options: QueueOptions, stored: (key: string) => Awaitable<number | undefined>) {
    this.#options = options;
    this.#readRate = stored;
  }

  addRunning(key: string): void {
    this.#total += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  removeRunning(key: string): void {
    this.#total -= 1;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
  }

  /**
   * Returns when the whole queue allows a start: a past time means now, infinity until one ends.
   */
  readyAt(now: number): Awaitable<number> {
    const { concurrency = Number.POSITIVE_INFINITY, rate } = this.#options;
    if (this.#total >= concurrency) return Number.POSITIVE_INFINITY;
    return this.#rateReadyAt(rate, '', now);
  }

  /** Returns when the limits of a key allow a start. */
  keyReadyAt(key: string, now: number): Awaitable<number> {
    const { concurrency = Number.POSITIVE_INFINITY, rate } = this.#options.perKey ?? {};
    if (key === '') return Number.NEGATIVE_INFINITY;
    if ((this.#running.get(key) ?? 0) >= concurrency) return Number.POSITIVE_INFINITY;
    return this.#rateReadyAt(rate, key, now);
  }

  /**
   * Counts a start against the rates, which `readyAt` and `keyReadyAt` have read. The writes belong
   * to the batch of the start.
   */
  consume(key: string, now: number): readonly Write[] {
    const { name, rate, perKey } = this.#options;
    const writes: Write[] = [];
    const consumeRate = (of: Rate | undefined, scope: string): void => {
      if (of === undefined) return;
      const stored = this.#stored(scope);
      // Only a rate that is unused again can be missing in memory.
      const before = isPromise(stored) ? undefined : this.#freshAt(of, { scope, stored }, now);
      const freshAt = rateAfterStart(of, before, now);
      this.#rates.set(scope, freshAt);
      const row = { queue: name, key: scope, freshAt };
      writes.push({ put: 'rate', row, ...(before === undefined ? {} : { before }) });
    };
    consumeRate(rate, '');
    if (key !== '') consumeRate(perKey?.rate, key);
    this.#sweep(now);
    return writes;
  }

  #rateReadyAt(rate: Rate | undefined, scope: string, now: number): Awaitable<number> {
    if (rate === undefined) return Number.NEGATIVE_INFINITY;
    return chain(this.#stored(scope), (stored) =>
      rateReadyAt(rate, this.#freshAt(rate, { scope, stored }, now)),
    );
  }

  #stored(scope: string): Awaitable<number | undefined> {
    if (this.#rates.has(scope)) return this.#rates.get(scope);
    const answer = this.#readRate(scope);
    if (!isPromise(answer)) return answer;
    const known = answer.then((freshAt) => {
      // A start in the meantime knows more.
      if (!this.#rates.has(scope)) this.#rates.set(scope, freshAt);
      return this.#rates.get(scope);
    });
    // Not every caller waits.
    known.catch(() => undefined);
    return known;
  }

  #freshAt(
    rate: Rate,
    { scope, stored }: { readonly scope: string; readonly stored: number | undefined },
    now: number,
  ): number | undefined {
    if (stored === undefined) return undefined;
    const freshAt = clampFreshAt(rate, stored, now);
    // From now on `freshAt` is fixed, so that elapsed time counts.
    if (freshAt !== stored) this.#rates.set(scope, freshAt);
    return freshAt;
  }

  /** Removes rates that are unused again, which loses no information. */
  #sweep(now: number): void {
    if (this.#rates.size < this.#sweepFrom) return;
    for (const [key, freshAt = now] of this.#rates) if (freshAt <= now) this.#rates.delete(key);
    this.#sweepFrom = Math.max(RATES_SWEPT_FROM, 2 * this.#rates.size);
  }
}

/**
 * Returns when a rate allows the next start, in milliseconds; a time in the past means now.
 *
 * @param freshAt - Value after the last start; `undefined` if there was none.
 */
function rateReadyAt(rate: Rate, freshAt: number | undefined): number {
  if (freshAt === undefined) return Number.NEGATIVE_INFINITY;
  const { intervalMs, burst } = rateShape(rate);
  return freshAt - (burst - 1) * intervalMs - ROUNDING_TOLERANCE_MS;
}

/** Returns the `freshAt` after a start: when the rate will be unused again. */
function rateAfterStart(rate: Rate, freshAt: number | undefined, now: number): number {
  return Math.max(freshAt ?? now, now) + rateShape(rate).intervalMs;
}

/**
 * Clamps `freshAt` to a plausible value. After a clock was set back or a rate was raised, no queue
 * waits longer than if it had just used its burst.
 */
function clampFreshAt(rate: Rate, freshAt: number, now: number): number {
  const { intervalMs, burst } = rateShape(rate);
  return Math.min(freshAt, now + burst * intervalMs);
}

function rateShape({ max, perMs, burst = max }: Rate) {
  return { intervalMs: perMs / max, burst };
}
