import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LatencySketch } from '../../../../src/domain/hosting/telemetry/latency-sketch.ts';
import { ByteReader } from '../../../../src/domain/hosting/varint.ts';

const MS = fc.oneof(
  fc.double({ min: 0.001, max: 10_000_000, noNaN: true }),
  fc.integer({ min: 1, max: 2_000 }),
  fc.double({ min: 0.01, max: 5, noNaN: true }),
);
const VALUES = fc.array(MS, { minLength: 1, maxLength: 400 });
const SHARE = fc.double({ min: 0, max: 1, noNaN: true });

test('a quantile is within 1 % of the exact one; the least and the greatest are exact', () => {
  fc.assert(
    fc.property(VALUES, SHARE, (values, share) => {
      const sketch = sketchOf(values);
      const sorted = [...values].sort((one, other) => one - other);
      const exact = sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
      const told = sketch.quantile(share) ?? 0;
      expect(Math.abs(told - exact) / exact).toBeLessThanOrEqual(0.01);
      expect(sketch.quantile(0)).toBe(sorted[0]);
      expect(sketch.quantile(1)).toBe(sorted.at(-1));
    }),
    { numRuns: 500 },
  );
});

test('sketches of parts, written and read, make up the sketch of the whole', () => {
  fc.assert(
    fc.property(fc.array(VALUES, { maxLength: 5 }), SHARE, (parts, share) => {
      const joined = new LatencySketch();
      for (const part of parts) {
        const copy = new LatencySketch();
        copy.read(new ByteReader(sketchOf(part).toBytes()));
        joined.merge(copy);
      }
      const whole = sketchOf(parts.flat());
      expect(joined.count).toBe(whole.count);
      expect(joined.quantile(share)).toBe(whole.quantile(share));
      expect(joined.toBytes()).toEqual(whole.toBytes());
    }),
  );
});

test('without values there is no quantile', () => {
  expect(new LatencySketch().quantile(0.5)).toBeUndefined();
});

test('values of any size take a bounded space, and 0 is one of them', () => {
  const sketch = new LatencySketch();
  for (let n = 0; n < 200_000; n += 1) sketch.add((n % 1_000) ** 3);
  sketch.add(1e12);
  expect(sketch.quantile(0)).toBe(0);
  expect(sketch.quantile(1)).toBe(1e12);
  expect(sketch.toBytes().length).toBeLessThan(6_000);
});

test('what is no duration breaks a rule', () => {
  const sketch = new LatencySketch();
  for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => sketch.add(bad)).toThrow('a duration is a number from 0 up');
  }
  expect(() => sketch.quantile(1.1)).toThrow('a quantile is from 0 to 1');
});

function sketchOf(values: readonly number[]): LatencySketch {
  const sketch = new LatencySketch();
  for (const value of values) sketch.add(value);
  return sketch;
}
