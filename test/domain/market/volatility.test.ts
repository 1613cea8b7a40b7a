import { RSI } from 'trading-signals';
import { expect, test } from 'vitest';
import { parseDecimal } from '../../../src/domain/common/decimal.ts';
import type { Candle } from '../../../src/domain/market/candles.ts';
import {
  computeMaxDrawdownPct,
  ESTIMATORS,
  estimateVolatility,
  periodsPerYear,
} from '../../../src/domain/market/volatility.ts';

const HOUR = 3_600_000;

type Prices = readonly [open: number, high: number, low: number, close: number];

function candle(hour: number, ...[open, high, low, close]: Prices): Candle {
  const text = (figure: number) => figure.toFixed(12);
  return {
    at: hour * HOUR,
    open: text(open),
    high: text(high),
    low: text(low),
    close: text(close),
    volume: '1',
  };
}

/** Candles that rise and fall by the same ratio in turn, each opening where the last closed. */
function zigzag(count: number, ratio: number): readonly Candle[] {
  return Array.from({ length: count }, (_, hour) => {
    const [open, close] = hour % 2 === 0 ? [100, 100 * ratio] : [100 * ratio, 100];
    return candle(hour, open, Math.max(open, close), Math.min(open, close), close);
  });
}

test('each estimator follows its published formula where the result is known in closed form', () => {
  const step = Math.log(1.02);
  const candles = zigzag(41, 1.02);
  const figures = Object.fromEntries(
    ESTIMATORS.map((one) => [one, estimateVolatility(candles, '1h', one) ?? Number.NaN]),
  );
  // 40 returns of +-step with a mean of zero: a sample variance of 40/39 step^2.
  expect(figures['close_to_close']).toBeCloseTo(step * Math.sqrt(40 / 39), 10);
  // Parkinson 1980: step^2 / (4 ln 2).
  expect(figures['parkinson']).toBeCloseTo(step / (2 * Math.sqrt(Math.LN2)), 10);
  // Garman and Klass 1980: (0.5 - (2 ln 2 - 1)) step^2.
  expect(figures['garman_klass']).toBeCloseTo(step * Math.sqrt(1.5 - 2 * Math.LN2), 10);
  // Rogers and Satchell 1991: zero where prices only rise, or only fall, within each candle.
  expect(figures['rogers_satchell']).toBeCloseTo(0, 10);
  // Yang and Zhang 2000: nothing overnight, k of 40/39 step^2 within, nothing of Rogers-Satchell.
  const share = 0.34 / (1.34 + 41 / 39);
  expect(figures['yang_zhang']).toBeCloseTo(step * Math.sqrt((share * 40) / 39), 10);
  // RiskMetrics: a square that never changes stays what it is.
  expect(figures['ewma']).toBeCloseTo(step, 10);
});

test('a jump between two candles counts overnight, and a gap counts for nothing', () => {
  const flat = Array.from({ length: 30 }, (_, hour) => {
    const price = hour < 15 ? 100 : 110;
    return candle(hour, price, price, price, price);
  });
  expect(estimateVolatility(flat, '1h', 'parkinson')).toBe(0);
  expect(estimateVolatility(flat, '1h', 'yang_zhang')).toBeGreaterThan(0);
  const parted = flat.map((one, at) => (at < 15 ? one : { ...one, at: one.at + HOUR }));
  expect(estimateVolatility(flat, '1h', 'close_to_close')).toBeGreaterThan(0);
  expect(estimateVolatility(parted, '1h', 'close_to_close')).toBe(0);
});

test('fewer than 20 candles have no volatility, by any estimator', () => {
  for (const one of ESTIMATORS) {
    expect(estimateVolatility(zigzag(19, 1.02), '1h', one)).toBeUndefined();
    expect(estimateVolatility(zigzag(20, 1.02), '1h', one)).toBeDefined();
  }
});

test('a year has 365 days, and the largest fall is one from a high before it', () => {
  expect([periodsPerYear('1d'), periodsPerYear('1h')]).toEqual([365, 8_760]);
  const closes = [100, 120, 90, 130, 117].map((price, hour) =>
    candle(hour, price, price, price, price),
  );
  expect(computeMaxDrawdownPct(closes)).toBeCloseTo(25, 10);
  expect(closes.every(({ close }) => parseDecimal(close) > 0n)).toBe(true);
});

test('the relative strength index is that of StockCharts’ ChartSchool', () => {
  // Its worked example of 14 days: 70.53, 66.32, 66.55, 69.41, 66.36, 57.97.
  const closes = [
    ...[44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433],
    ...[46.0826, 45.8931, 46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116],
    ...[46.2222, 45.6439],
  ];
  const index = new RSI(14);
  const found = closes.flatMap((close) => index.add(close)?.toFixed(2) ?? []);
  expect(found).toEqual(['70.53', '66.32', '66.55', '69.41', '66.36', '57.97']);
});
