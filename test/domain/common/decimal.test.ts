import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  computeMedian,
  computePercent,
  formatDecimal,
  isDecimal,
  PLACES_MAX,
  parseDecimal,
  toDecimal,
} from '../../../src/domain/common/decimal.ts';

const negated = (text: string) => formatDecimal(-parseDecimal(text));
const ONE = 10n ** BigInt(PLACES_MAX);
const units = fc.bigInt({ min: -(10n ** 48n) + 1n, max: 10n ** 48n - 1n });
/** Digits as an upstream may write them, with needless zeros. */
const written = fc
  .tuple(fc.boolean(), fc.stringMatching(/^\d{1,30}$/), fc.stringMatching(/^\d{0,18}$/))
  .map(([isMinus, whole, places]) => `${isMinus ? '-' : ''}${whole}${places && `.${places}`}`);

test('what is written is read back as it was, in one form alone', () => {
  fc.assert(
    fc.property(units, (value) => {
      const text = formatDecimal(value);
      expect(parseDecimal(text)).toBe(value);
      expect(text).toMatch(/^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/);
    }),
  );
});

test('a decimal of an upstream keeps its value, however many zeros it has', () => {
  fc.assert(
    fc.property(written, (text) => {
      expect(isDecimal(text)).toBe(true);
      const [whole = '', places = ''] = text.replace('-', '').split('.');
      const size = BigInt(whole + places.padEnd(PLACES_MAX, '0'));
      expect(parseDecimal(text)).toBe(text.startsWith('-') ? -size : size);
      expect(parseDecimal(formatDecimal(parseDecimal(text)))).toBe(parseDecimal(text));
    }),
  );
});

test.each([
  ...['', '-', '.', '1.', '.5', '+1', ' 1', '1 ', '1,5', '1_000', '1e5', '0x10', '--1', '1.2.3'],
  ...['NaN', 'Infinity', '-Infinity', 'null', '١', '1\n', '9'.repeat(31), `0.${'1'.repeat(19)}`],
])('%j is no decimal, and is refused', (text) => {
  expect(isDecimal(text)).toBe(false);
  expect(() => parseDecimal(text)).toThrow('a decimal is digits');
});

test('no text but a plain decimal is one', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const isPlain = /^-?[0-9]{1,30}(\.[0-9]{1,18})?$/.test(text) && !text.includes('\n');
      expect(isDecimal(text)).toBe(isPlain);
    }),
  );
});

test('a median has as many on one side as on the other, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(units, { minLength: 1, maxLength: 30 }), fc.nat(), (values, turn) => {
      const texts = values.map(formatDecimal);
      const middle = computeMedian(texts);
      const at = turn % texts.length;
      expect(computeMedian([...texts.slice(at), ...texts.slice(0, at)].reverse())).toBe(middle);
      // Below zero it is the same from the other end.
      expect(computeMedian(values.map((value) => formatDecimal(-value)))).toBe(negated(middle));
      const half = Math.ceil(values.length / 2);
      // The mean of two may lie between two units; it is cut towards zero.
      const [low, high] = [parseDecimal(middle) - 1n, parseDecimal(middle) + 1n];
      expect(values.filter((value) => value <= high).length).toBeGreaterThanOrEqual(half);
      expect(values.filter((value) => value >= low).length).toBeGreaterThanOrEqual(half);
    }),
  );
});

test('a percentage is never more than the true one, nor a millionth less', () => {
  const positive = fc.bigInt({ min: 1n, max: 10n ** 40n });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), positive, (part, whole) => {
      const found = computePercent(part, whole) * whole;
      const exact = part * 100n * ONE;
      expect(found).toBeLessThanOrEqual(exact);
      expect(exact - found).toBeLessThan((ONE / 1_000_000n) * whole);
    }),
  );
});

test('a number is rounded to its places, and what is none is refused', () => {
  const number = fc.double({ min: -1e15, max: 1e15, noNaN: true });
  fc.assert(
    fc.property(number, fc.integer({ min: 0, max: 12 }), (value, places) => {
      const text = toDecimal(value, places);
      expect((text.split('.')[1] ?? '').length).toBeLessThanOrEqual(places);
      const off = Math.abs(Number(text) - value);
      expect(off).toBeLessThanOrEqual(0.5 / 10 ** places + Math.abs(value) * Number.EPSILON);
    }),
  );
  for (const value of [Number.NaN, Infinity, -Infinity, 1e31]) {
    expect(() => toDecimal(value, 2)).toThrow('a decimal is digits');
  }
});
