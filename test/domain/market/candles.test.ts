import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Candle,
  findGaps,
  roundToCandles,
  validateCandles,
} from '../../../src/domain/market/candles.ts';

const HOUR = 3_600_000;

/** Candles on the grid of hours, each possible by itself. */
const rows = fc.uniqueArray(
  fc.record({
    hour: fc.integer({ min: 0, max: 200 }),
    prices: fc.tuple(...[1, 2, 3, 4].map(() => fc.integer({ min: 1, max: 10_000_000 }))),
    volume: fc.nat(),
  }),
  { maxLength: 120, selector: ({ hour }) => hour },
);

function candleOf({ hour, prices, volume }: Row): Candle {
  const [low = 0, open = 0, close = 0, high = 0] = [...prices].sort((a, b) => a - b);
  const text = (cents: number) => (cents / 100).toFixed(2);
  return {
    at: hour * HOUR,
    open: text(open),
    high: text(high),
    low: text(low),
    close: text(close),
    volume: String(volume),
  };
}

interface Row {
  readonly hour: number;
  readonly prices: readonly number[];
  readonly volume: number;
}

test('whatever the order, candles come sorted, and with their gaps they fill the stretch', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 0, max: 200 }), (made, end) => {
      const stretch = { from: 0, to: end * HOUR };
      const candles = validateCandles(made.map(candleOf), {
        ...stretch,
        interval: '1h',
        now: 500 * HOUR,
      });
      const times = candles?.map(({ at }) => at) ?? [];
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      const missing = findGaps(candles ?? [], stretch, '1h');
      const count = missing.reduce((sum, gap) => sum + gap.missing, 0);
      expect(count + times.length).toBe(end);
      for (const { from, to } of missing) {
        expect(times.some((at) => at >= from && at < to)).toBe(false);
      }
    }),
  );
});

test('a candle that is not finished is left out', () => {
  const made = [0, 1, 2].map((hour) => candleOf({ hour, prices: [1, 2, 3, 4], volume: 1 }));
  const stretch = { from: 0, to: 3 * HOUR, interval: '1h' } as const;
  expect(validateCandles(made, { ...stretch, now: 3 * HOUR - 1 })).toHaveLength(2);
  expect(validateCandles(made, { ...stretch, now: 3 * HOUR })).toHaveLength(3);
});

test('one candle that cannot be spoils the answer', () => {
  const sound = candleOf({ hour: 1, prices: [100, 200, 300, 400], volume: 1 });
  const stretch = { from: 0, to: 9 * HOUR, interval: '1h', now: 9 * HOUR } as const;
  expect(validateCandles([sound], stretch)).toHaveLength(1);
  for (const wrong of [
    { high: '2.5' },
    { low: '2.1' },
    { low: '0', open: '1' },
    { close: '4.01' },
    { volume: '-1' },
    { at: HOUR + 1 },
  ]) {
    expect(validateCandles([{ ...sound, ...wrong }], stretch)).toBeUndefined();
  }
  expect(validateCandles([sound, { ...sound, volume: '2' }], stretch)).toBeUndefined();
  expect(validateCandles([sound, sound], stretch)).toHaveLength(1);
});

test('a stretch is widened to whole candles', () => {
  const [from, to] = [HOUR + 1, 3 * HOUR];
  expect(roundToCandles({ from, to }, '1h')).toEqual({ from: HOUR, to: 3 * HOUR });
});
