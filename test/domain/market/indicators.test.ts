import fc from 'fast-check';
import { ATR, BollingerBands, OBV } from 'trading-signals';
import { expect, test } from 'vitest';
import { evaluateIndicators, INDICATOR_NAMES } from '../../../src/domain/market/indicators.ts';
import {
  averageTrueRange,
  type Bar,
  bollingerBands,
  computeMacd,
  onBalanceVolume,
} from '../../../src/domain/market/technicals.ts';

// Invest Excel, "How to Calculate MACD in Excel", worked example (Apple, 2013).
const MACD_CLOSES = [
  459.99, 448.85, 446.06, 450.81, 442.8, 448.97, 444.57, 441.4, 430.47, 420.05, 431.14, 425.66,
  430.58, 431.72, 437.87, 428.43, 428.35, 432.5, 443.66, 455.72, 454.49, 452.08, 452.73, 461.91,
  463.58, 461.14, 452.08, 442.66, 428.91, 429.79, 431.99, 427.72, 423.2, 426.21, 426.98, 435.69,
  434.33, 429.8, 419.85, 426.24,
];
const MACD_LINE = [
  8.27526950390762, 7.70337838145673, 6.41607475695588, 4.23751978326482, 2.55258332486574,
  1.37888571985366, 0.102981491199102, -1.25840195280313, -2.07055819009491, -2.62184232825689,
  -2.32906674045495, -2.18163211479299, -2.40262627286643,
];
const MACD_SIGNAL = [
  3.03752586873394, 1.90565222933578, 1.05870843537763, 0.410640325343509, -0.152012994298479,
];

// Investopedia, "On-Balance Volume", worked example of ten days: [close, volume, balance].
const BALANCE = [
  [10, 25_200, 0],
  [10.15, 30_000, 30_000],
  [10.17, 25_600, 55_600],
  [10.13, 32_000, 23_600],
  [10.11, 23_000, 600],
  [10.15, 40_000, 40_600],
  [10.2, 36_000, 76_600],
  [10.2, 20_500, 76_600],
  [10.22, 23_000, 99_600],
  [10.21, 27_500, 72_100],
] as const;

function barsOf(closes: readonly number[]): readonly Bar[] {
  return closes.map((close, at) => {
    const open = closes[at - 1] ?? close;
    const reach = 0.5 + (at % 7) / 10;
    const [high, low] = [Math.max(open, close) + reach, Math.min(open, close) - reach];
    return { at, open, high, low, close, volume: 1 + (at % 5) };
  });
}

test('the convergence of means is that of the published worked example', () => {
  const { line, signal, histogram } = computeMacd(MACD_CLOSES);
  const lines = line.filter((value) => value !== null);
  lines.slice(0, 13).forEach((value, at) => {
    expect(value).toBeCloseTo(MACD_LINE[at] ?? 0, 9);
  });
  const signals = signal.filter((value) => value !== null);
  MACD_SIGNAL.forEach((value, at) => {
    expect(signals[at]).toBeCloseTo(value, 9);
  });
  expect(histogram.at(-1)).toBeCloseTo((line.at(-1) ?? 0) - (signal.at(-1) ?? 0), 12);
});

test('the balance of volume is that of the published worked example', () => {
  const bars = BALANCE.map(([close, volume], at) => ({
    at,
    open: close,
    high: close,
    low: close,
    close,
    volume,
  }));
  expect(onBalanceVolume(bars)).toEqual(BALANCE.map(([, , balance]) => balance));
});

test('an independent library of indicators finds the same', () => {
  const prices = fc.array(fc.double({ min: 1, max: 1_000, noNaN: true }), {
    minLength: 60,
    maxLength: 90,
  });
  fc.assert(
    fc.property(prices, (closes) => {
      const bars = barsOf(closes);
      const band = new BollingerBands(20, 2);
      const [range, balance] = [new ATR(14), new OBV(2)];
      for (const bar of bars) {
        band.add(bar.close);
        range.add(bar);
        balance.add(bar);
      }
      const { upper, lower } = bollingerBands(closes, 20, 2);
      expect(upper.at(-1)).toBeCloseTo(band.getResultOrThrow().upper, 6);
      expect(lower.at(-1)).toBeCloseTo(band.getResultOrThrow().lower, 6);
      expect(averageTrueRange(bars, 14).at(-1)).toBeCloseTo(range.getResultOrThrow(), 6);
      expect(onBalanceVolume(bars).at(-1)).toBeCloseTo(balance.getResultOrThrow(), 6);
    }),
    { numRuns: 20 },
  );
});

test('each indicator is found or missing, and a flat market says nothing', () => {
  for (const count of [1, 10, 21, 60, 210]) {
    const { found, missing } = evaluateIndicators(barsOf(Array.from({ length: count }, () => 100)));
    const names = [...found.map(({ name }) => name), ...missing];
    expect(names.sort()).toEqual([...INDICATOR_NAMES].sort());
    expect(found.map(({ signal }) => signal)).toEqual(found.map(() => 'neutral'));
    expect(found.every(({ value }) => Number.isFinite(value))).toBe(true);
  }
  expect(evaluateIndicators(barsOf(MACD_CLOSES)).missing).toEqual(['EMA 50', 'EMA 200']);
});

test('a price that does not move points nowhere, whatever it is', () => {
  const price = fc.double({ min: 1e-9, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(price, (close) => {
      const still = { open: close, high: close, low: close, close };
      const bars = barsOf(Array.from({ length: 260 }, () => close));
      const { found } = evaluateIndicators(bars.map((bar) => ({ ...bar, ...still })));
      expect(found.filter(({ signal }) => signal !== 'neutral')).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('a mirrored market mirrors every signal', () => {
  const closes = Array.from({ length: 260 }, (_, at) => 500 + at + 20 * Math.sin(at / 5));
  const mirror = (bars: readonly Bar[]): readonly Bar[] =>
    bars.map(({ open, high, low, close, ...bar }) => ({
      ...bar,
      open: 2_000 - open,
      high: 2_000 - low,
      low: 2_000 - high,
      close: 2_000 - close,
    }));
  const bars = barsOf(closes);
  const turned = { bullish: 'bearish', bearish: 'bullish', neutral: 'neutral' } as const;
  const skipped = /^Bollinger/;
  const said = (rows: readonly Bar[]) =>
    evaluateIndicators(rows).found.filter(({ name }) => !skipped.test(name));
  expect(said(mirror(bars)).map(({ signal }) => signal)).toEqual(
    said(bars).map(({ signal }) => turned[signal]),
  );
});
