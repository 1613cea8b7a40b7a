import { invariant } from '../../domain/common/error.ts';
import { LatencySketch } from '../../domain/hosting/telemetry/latency-sketch.ts';
import { METRIC_BUCKET_MS } from '../../domain/hosting/telemetry/metric-window.ts';
import { ByteReader, ByteWriter } from '../../domain/hosting/varint.ts';

/** Length of a bucket, in milliseconds. All samples are aggregated in buckets. */
export const BUCKET_MS = METRIC_BUCKET_MS;

/** Aggregated samples of one bucket. */
export interface Aggregate {
  sum: number;
  count: number;
  greatest: number;
  least: number;
}

/** Values of one series in adjacent buckets, keyed by bucket number. */
export type Block =
  | { readonly kind: 'gauge'; readonly buckets: Map<number, Aggregate> }
  | { readonly kind: 'counter'; readonly buckets: Map<number, number> }
  | { readonly kind: 'sketch'; readonly buckets: Map<number, LatencySketch> };

/** Buckets per block: one hour, or five minutes for the larger sketches. */
export const BLOCK_BUCKETS: Readonly<Record<Block['kind'], number>> = {
  gauge: 120,
  counter: 120,
  sketch: 10,
};

/** Creates an empty block. */
export function createBlock(kind: Block['kind']): Block {
  switch (kind) {
    case 'gauge':
      return { kind, buckets: new Map() };
    case 'counter':
      return { kind, buckets: new Map() };
    case 'sketch':
      return { kind, buckets: new Map() };
  }
}

/** Adds a sample to a gauge block. */
export function addSample(block: Block, bucket: number, value: number): void {
  invariant(block.kind === 'gauge', 'samples belong in a gauge block');
  const known = block.buckets.get(bucket);
  if (known === undefined) {
    block.buckets.set(bucket, { sum: value, count: 1, greatest: value, least: value });
    return;
  }
  known.sum += value;
  known.count += 1;
  known.greatest = Math.max(known.greatest, value);
  known.least = Math.min(known.least, value);
}

/** Adds to a counter block. */
export function addCount(block: Block, bucket: number, by: number): void {
  invariant(block.kind === 'counter', 'counts belong in a counter block');
  block.buckets.set(bucket, (block.buckets.get(bucket) ?? 0) + by);
}

/** Adds a duration to a sketch block. */
export function addLatency(block: Block, bucket: number, ms: number): void {
  invariant(block.kind === 'sketch', 'durations belong in a sketch block');
  const known = block.buckets.get(bucket) ?? new LatencySketch();
  known.add(ms);
  block.buckets.set(bucket, known);
}

/**
 * Encodes a block: the numbers of its non-empty buckets, then their values in columns.
 *
 * @param first - Number of its first bucket.
 */
export function encodeBlock(block: Block, first: number): Uint8Array {
  const writer = new ByteWriter();
  const numbers = [...block.buckets.keys()].sort((one, other) => one - other);
  writer.varint(numbers.length);
  for (const number of numbers) writer.varint(number - first);
  switch (block.kind) {
    case 'gauge':
      writeGauges(
        writer,
        numbers.map((number) => block.buckets.get(number) ?? EMPTY_AGGREGATE),
      );
      break;
    case 'counter':
      for (const number of numbers) writer.varint(block.buckets.get(number) ?? 0);
      break;
    case 'sketch':
      for (const number of numbers) block.buckets.get(number)?.write(writer);
      break;
  }
  return writer.bytes();
}

/** Decodes the result of `encodeBlock`. */
export function decodeBlock(kind: Block['kind'], first: number, bytes: Uint8Array): Block {
  const reader = new ByteReader(bytes);
  const numbers = Array.from({ length: reader.varint() }, () => first + reader.varint());
  switch (kind) {
    case 'gauge':
      return { kind, buckets: readGauges(reader, numbers) };
    case 'counter':
      return { kind, buckets: new Map(numbers.map((number) => [number, reader.varint()])) };
    case 'sketch':
      return { kind, buckets: new Map(numbers.map((number) => [number, readSketch(reader)])) };
  }
}

const EMPTY_AGGREGATE: Aggregate = { sum: 0, count: 0, greatest: 0, least: 0 };

function writeGauges(writer: ByteWriter, values: readonly Aggregate[]): void {
  for (const { count } of values) writer.varint(count);
  for (const { sum } of values) writer.float64(sum);
  // A single sample is both the maximum and the minimum.
  for (const { count, greatest, least } of values) {
    if (count > 1) writer.float64(greatest).float64(least);
  }
}

function readGauges(reader: ByteReader, numbers: readonly number[]): Map<number, Aggregate> {
  const counts = numbers.map(() => reader.varint());
  const sums = numbers.map(() => reader.float64());
  return new Map(
    numbers.map((number, at) => {
      const count = counts[at] ?? 0;
      const sum = sums[at] ?? 0;
      const greatest = count > 1 ? reader.float64() : sum;
      const least = count > 1 ? reader.float64() : sum;
      return [number, { sum, count, greatest, least }];
    }),
  );
}

function readSketch(reader: ByteReader): LatencySketch {
  const sketch = new LatencySketch();
  sketch.read(reader);
  return sketch;
}
