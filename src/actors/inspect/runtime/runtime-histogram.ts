/**
 * Upper bounds of the duration buckets, in milliseconds. One more bucket holds longer durations.
 */
export const BUCKETS_MS = [
  0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 25, 50, 75, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
  30_000, 60_000, 300_000, 900_000,
] as const;

/** Counts durations in fixed buckets. Adding a duration allocates nothing. */
export class RuntimeHistogram {
  /** Count per bucket; the last one holds durations above all bounds. */
  readonly counts = new Float64Array(BUCKETS_MS.length + 1);
  readonly #marked = new Float64Array(BUCKETS_MS.length + 1);
  #sumMs = 0;
  #count = 0;

  get sumMs(): number {
    return this.#sumMs;
  }

  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    let at = 0;
    while (at < BUCKETS_MS.length && ms > (BUCKETS_MS[at] as number)) at += 1;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.#sumMs += ms;
    this.#count += 1;
  }

  /** Returns the quantile `share` of all durations, in milliseconds; `null` if there are none. */
  quantile(share: number): number | null {
    return interpolateQuantile(share, this.#count, (at) => this.counts[at] as number);
  }

  /** Returns the quantile of the durations since the last `mark`. */
  recentQuantile(share: number): number | null {
    const since = (at: number): number =>
      (this.counts[at] as number) - (this.#marked[at] as number);
    let count = 0;
    for (let at = 0; at < this.counts.length; at += 1) count += since(at);
    return interpolateQuantile(share, count, since);
  }

  /** Starts a new period for `recentQuantile`. */
  mark(): void {
    this.#marked.set(this.counts);
  }
}

/** Finds the bucket of the quantile and interpolates linearly within it. */
function interpolateQuantile(
  share: number,
  count: number,
  countAt: (at: number) => number,
): number | null {
  if (count === 0) return null;
  const wanted = share * count;
  let below = 0;
  for (let at = 0; at < BUCKETS_MS.length; at += 1) {
    const here = countAt(at);
    const low = at === 0 ? 0 : (BUCKETS_MS[at - 1] as number);
    if (here > 0 && below + here >= wanted) {
      return low + (((BUCKETS_MS[at] as number) - low) * (wanted - below)) / here;
    }
    below += here;
  }
  return BUCKETS_MS.at(-1) ?? null;
}
