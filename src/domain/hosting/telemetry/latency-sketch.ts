import { invariant } from '../../common/error.ts';
import { type ByteReader, ByteWriter } from '../varint.ts';

/** Ratio of adjacent bucket bounds. It limits the relative error to 1 %. */
const GAMMA = 1.02;
const LOG_GAMMA = Math.log(GAMMA);
/** Scales the upper bound of a bucket to the value of least relative error. */
const MIDPOINT_FACTOR = 2 / (GAMMA + 1);
/** Values are clamped to these bounds, in milliseconds: 1 microsecond to 11 days. */
const MIN_MS = 0.001;
const MAX_MS = 1e9;

/**
 * A mergeable sketch of durations. It returns any quantile to within 1 % from at most 1,400
 * counters (the log buckets of DDSketch, arXiv 1908.10693). Minimum and maximum are exact.
 */
export class LatencySketch {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.#count;
  }

  /** @param ms - At least 0. */
  add(ms: number): void {
    invariant(Number.isFinite(ms) && ms >= 0, 'a duration is a number from 0 up');
    this.#least = Math.min(this.#least, ms);
    this.#greatest = Math.max(this.#greatest, ms);
    const clamped = Math.min(MAX_MS, Math.max(MIN_MS, ms));
    this.#increment(Math.ceil(Math.log(clamped) / LOG_GAMMA), 1);
  }

  /** Adds all values of another sketch. */
  merge(other: LatencySketch): void {
    this.#least = Math.min(this.#least, other.#least);
    this.#greatest = Math.max(this.#greatest, other.#greatest);
    for (const [bucket, count] of other.#counts) this.#increment(bucket, count);
  }

  /**
   * Returns the value at a quantile; 0 gives the minimum, 1 the maximum.
   *
   * @returns Milliseconds; `undefined` for an empty sketch.
   */
  quantile(share: number): number | undefined {
    invariant(share >= 0 && share <= 1, 'a quantile is from 0 to 1');
    if (this.#count === 0) return undefined;
    const rank = Math.floor(share * (this.#count - 1));
    if (rank === 0) return this.#least;
    if (rank === this.#count - 1) return this.#greatest;
    const bucket = this.#bucketAt(rank);
    return Math.min(this.#greatest, Math.max(this.#least, MIDPOINT_FACTOR * GAMMA ** bucket));
  }

  /** Appends the sketch to a writer. */
  write(writer: ByteWriter): void {
    writer.varint(this.#counts.size);
    if (this.#counts.size === 0) return;
    writer.float64(this.#least).float64(this.#greatest);
    let before = 0;
    for (const bucket of this.#sortedBuckets()) {
      writer.signed(bucket - before).varint(this.#counts.get(bucket) ?? 0);
      before = bucket;
    }
  }

  /** Reads a sketch written by `write` and merges it. */
  read(reader: ByteReader): void {
    const buckets = reader.varint();
    if (buckets === 0) return;
    this.#least = Math.min(this.#least, reader.float64());
    this.#greatest = Math.max(this.#greatest, reader.float64());
    let bucket = 0;
    for (let n = 0; n < buckets; n += 1) {
      bucket += reader.signed();
      this.#increment(bucket, reader.varint());
    }
  }

  /** Serializes the sketch. */
  toBytes(): Uint8Array {
    const writer = new ByteWriter();
    this.write(writer);
    return writer.bytes();
  }

  #increment(bucket: number, by: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + by);
    this.#count += by;
  }

  #sortedBuckets(): readonly number[] {
    return [...this.#counts.keys()].sort((one, other) => one - other);
  }

  #bucketAt(rank: number): number {
    let passed = 0;
    for (const bucket of this.#sortedBuckets()) {
      passed += this.#counts.get(bucket) ?? 0;
      if (passed > rank) return bucket;
    }
    return Math.ceil(Math.log(this.#greatest) / LOG_GAMMA);
  }
}
