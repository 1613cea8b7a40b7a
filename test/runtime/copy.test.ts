import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyAtRest } from '../../src/runtime/copy.ts';

const SEED = 20_261_120;

test('a copy is what comes back from rest, whatever the value is', () => {
  const anything = fc.anything({
    withDate: true,
    withNullPrototype: true,
    withBoxedValues: true,
    withSparseArray: true,
    withMap: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      expect(copyAtRest(value)).toStrictEqual(atRest(value));
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

test('what JSON treats in its own way is left to it', () => {
  const own = Object.defineProperty({}, '__proto__', { value: { a: 1 }, enumerable: true });
  const values = [
    -0,
    { n: Number.NaN },
    [Number.POSITIVE_INFINITY],
    [undefined],
    { n: Number.NaN, list: [undefined, () => 1], gone: undefined, f: () => 1 },
    { toJSON: () => 'said' },
    { at: new Date(0) },
    [own],
    JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`),
  ];
  for (const value of values) expect(copyAtRest(value)).toStrictEqual(atRest(value));
  expect(Object.is(copyAtRest(-0), 0)).toBe(true);
  expect(Object.getPrototypeOf((copyAtRest([own]) as object[])[0])).toBe(Object.prototype);
});

test('a value that holds itself and a bigint are refused', () => {
  const round: { self?: unknown } = {};
  round.self = round;
  expect(() => copyAtRest(round)).toThrow(TypeError);
  expect(() => copyAtRest({ n: 1n })).toThrow(TypeError);
});

test('a copy shares no object with its original', () => {
  const original = { list: [{ a: 1 }], inner: { b: 'c' } };
  const copy = copyAtRest(original) as typeof original;
  expect(copy).toStrictEqual(original);
  expect(copy.list).not.toBe(original.list);
  expect(copy.list[0]).not.toBe(original.list[0]);
  expect(copy.inner).not.toBe(original.inner);
});

function atRest(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
