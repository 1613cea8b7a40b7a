import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  explainUnusableFeed,
  type Measure,
  measureCandles,
  measureSpread,
  SPREAD_SKEW_MS,
} from '../../../src/domain/alert/measures.ts';
import type { Candle } from '../../../src/domain/market/candles.ts';
import type { OrderBook } from '../../../src/domain/market/order-book.ts';

const HOUR = 3_600_000;
const START = 480_000 * HOUR;
const price = fc.integer({ min: 1, max: 1_000_000 });
const closes = fc.array(price, { minLength: 25, maxLength: 60 });

function hourly(prices: readonly number[]): readonly Candle[] {
  return prices.map((close, index) => {
    const open = prices[index - 1] ?? close;
    return {
      at: START + index * HOUR,
      open: `${open}`,
      close: `${close}`,
      volume: '1',
      high: `${Math.max(open, close)}`,
      low: `${Math.min(open, close)}`,
    };
  });
}

function figure(measure: Measure): number {
  return 'lacking' in measure ? Number.NaN : Number(measure.value);
}

const asking = (op: 'above' | 'pct_change' | 'volatility_above', hours: number) =>
  ({ op, candle: '1h', windowMs: hours * HOUR }) as const;

test('a change is that from the first open of the window to the last close', () => {
  fc.assert(
    fc.property(closes, fc.integer({ min: 1, max: 20 }), (prices, hours) => {
      const made = measureCandles(hourly(prices), asking('pct_change', hours));
      const [first = 0, last = 0] = [prices[prices.length - hours - 1], prices.at(-1)];
      expect(figure(made)).toBeCloseTo(((last - first) / first) * 100, 4);
      const end = START + prices.length * HOUR;
      expect('asOf' in made && made.asOf).toBe(end);
    }),
  );
});

test('a volatility does not change when all prices are told in another unit', () => {
  fc.assert(
    fc.property(closes, fc.integer({ min: 2, max: 50 }), (prices, times) => {
      const one = measureCandles(hourly(prices), asking('volatility_above', 24));
      const scaled = hourly(prices.map((each) => each * times));
      const other = measureCandles(scaled, asking('volatility_above', 24));
      expect(figure(other)).toBeCloseTo(figure(one), 4);
      expect(figure(one)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('prices that stand still have no volatility and no change', () => {
  const still = hourly(Array.from({ length: 30 }, () => 7));
  expect(figure(measureCandles(still, asking('volatility_above', 24)))).toBe(0);
  expect(figure(measureCandles(still, asking('pct_change', 24)))).toBe(0);
  expect(measureCandles(still, asking('above', 0))).toMatchObject({ value: '7' });
});

test('a window whose begin is missing has no change, and too few candles no volatility', () => {
  const whole = hourly(Array.from({ length: 30 }, (_, at) => 100 + at));
  const gap = whole.filter(({ at }) => at !== START + 6 * HOUR);
  expect(measureCandles(gap, asking('pct_change', 24))).toHaveProperty('lacking');
  expect(measureCandles(gap, asking('pct_change', 23))).toHaveProperty('value');
  expect(measureCandles(whole.slice(-19), asking('volatility_above', 24))).toHaveProperty(
    'lacking',
  );
  for (const op of ['above', 'pct_change', 'volatility_above'] as const) {
    expect(measureCandles([], asking(op, op === 'above' ? 0 : 24))).toHaveProperty('lacking');
  }
});

const HOUSES = ['a', 'b', 'c'];

function bookOf(venue: string, bid: number, size: number, asOf = START): OrderBook {
  const levels = (at: number) => [{ price: `${at}`, size: `${size}` }];
  return { venue, bids: levels(bid), asks: levels(bid + 1), asOf, asOfKind: 'received' };
}

const between = (feeBps: string | null) => HOUSES.map((venue) => ({ venue, feeBps }));

test('a spread is the best of all directions, never more after fees, in any order of books', () => {
  const bids = fc.tuple(price, price, price);
  fc.assert(
    fc.property(bids, fc.integer({ min: 0, max: 300 }), (levels, fee) => {
      const books = levels.map((bid, at) => bookOf(HOUSES[at] ?? '', bid, 1_000_000));
      const gross = figure(measureSpread(books, { between: between(null), sizeQuote: '10' }));
      const fees = { between: between(`${fee}`), sizeQuote: '10' };
      const net = figure(measureSpread(books, fees));
      const turned = figure(measureSpread([...books].reverse(), fees));
      expect(net).toBeLessThanOrEqual(gross);
      expect(turned).toBe(net);
      // Who buys at the lowest ask and sells at the highest bid of another cannot do better.
      const most = Math.max(
        ...levels.flatMap((buy, at) =>
          levels.map((sell, other) =>
            at === other ? -Infinity : ((sell - buy - 1) / (buy + 1)) * 10_000,
          ),
        ),
      );
      expect(Math.abs(gross - most)).toBeLessThanOrEqual(Math.abs(most) * 1e-6 + 0.001);
    }),
  );
});

test('books too far apart, or too thin for the size, have no spread', () => {
  const terms = { between: between(null).slice(0, 2), sizeQuote: '1000' };
  const near = [bookOf('a', 100, 50), bookOf('b', 110, 50, START + SPREAD_SKEW_MS)];
  expect(measureSpread(near, terms)).toMatchObject({ asOf: START });
  const far = [bookOf('a', 100, 50), bookOf('b', 110, 50, START + SPREAD_SKEW_MS + 1)];
  expect(measureSpread(far, terms)).toHaveProperty('lacking');
  const thin = [bookOf('a', 100, 2), bookOf('b', 110, 2)];
  expect(measureSpread(thin, terms)).toHaveProperty('lacking');
});

test('a feed without entries or without dates tells nothing', () => {
  expect(explainUnusableFeed([])).toBeDefined();
  expect(explainUnusableFeed([{ publishedAt: null }])).toBeDefined();
  expect(explainUnusableFeed([{ publishedAt: null }, { publishedAt: 1 }])).toBeUndefined();
});
