import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computePositionSize, computeRisk } from '../../../src/domain/market/play-risk.ts';
import { evaluateRules, runBacktest } from '../../../src/domain/market/plays.ts';
import {
  annualizedVolatility,
  averageTrueRange,
  type Bar,
  bollingerBands,
  directionalIndex,
  exponentialMovingAverage,
  highestHigh,
  maxDrawdown,
  relativeStrengthIndex,
} from '../../../src/domain/market/technicals.ts';

// StockCharts ChartSchool, "Relative Strength Index", worked example (QQQQ).
const RSI_CLOSES = [
  44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
  46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439, 46.2122, 46.2521,
  45.7137, 46.4515, 45.7835, 45.3548, 44.0288, 44.1783, 44.2181, 44.5672, 43.4205, 42.6628, 43.1314,
];
const RSI = [
  70.53, 66.32, 66.55, 69.41, 66.36, 57.97, 62.93, 63.26, 56.06, 62.38, 54.71, 50.42, 39.99, 41.46,
  41.87, 45.46, 37.3, 33.08, 37.77,
];
// StockCharts ChartSchool, "Moving Averages", worked example of a ten-day EMA.
const EMA_CLOSES = [
  22.27, 22.19, 22.08, 22.17, 22.18, 22.13, 22.23, 22.43, 22.24, 22.29, 22.15, 22.39, 22.38, 22.61,
  23.36, 24.05, 23.75, 23.83, 23.95, 23.63, 23.82, 23.87, 23.65, 23.19, 23.1, 23.33, 22.68, 23.1,
  22.4, 22.17,
];
const EMA = [
  22.22, 22.21, 22.24, 22.27, 22.33, 22.52, 22.8, 22.97, 23.13, 23.28, 23.34, 23.43, 23.51, 23.53,
  23.47, 23.4, 23.39, 23.26, 23.23, 23.08, 22.92,
];

test('relative strength is that of the published worked example', () => {
  const found = relativeStrengthIndex(RSI_CLOSES, 14).filter((value) => value !== null);
  expect(found).toHaveLength(RSI.length);
  // Their prices are rounded to four places, so the second decimal may differ.
  found.forEach((value, at) => {
    expect(Math.abs(value - (RSI[at] ?? 0))).toBeLessThan(0.02);
  });
});

test('the exponential mean is that of the published worked example', () => {
  const found = exponentialMovingAverage(EMA_CLOSES, 10).filter((value) => value !== null);
  expect(found).toHaveLength(EMA.length);
  found.forEach((value, at) => {
    expect(Math.abs(value - (EMA[at] ?? 0))).toBeLessThan(0.011);
  });
});

function bar(at: number, [open, high, low, close]: readonly number[], volume = 1): Bar {
  return { at, open: open ?? 0, high: high ?? 0, low: low ?? 0, close: close ?? 0, volume };
}

/** Closes as bars that open where the one before closed. */
function barsOf(closes: readonly number[], reach = 0.5): readonly Bar[] {
  return closes.map((close, at) => {
    const open = closes[at - 1] ?? close;
    return bar(at, [open, Math.max(open, close) + reach, Math.min(open, close) - reach, close]);
  });
}

const closes = fc.array(fc.double({ min: 1, max: 1_000, noNaN: true }), {
  minLength: 60,
  maxLength: 120,
});

test('indices stay between 0 and 100, bands lie around the mean, and ranges are above zero', () => {
  fc.assert(
    fc.property(closes, (values) => {
      const bars = barsOf(values);
      const { strength, plus, minus } = directionalIndex(bars, 14);
      const indices = [relativeStrengthIndex(values, 14), strength, plus, minus].flat();
      const known = indices.filter((value) => value !== null);
      expect(known.every((value) => value >= -1e-9 && value <= 100 + 1e-9)).toBe(true);
      const { lower, middle, upper } = bollingerBands(values, 20, 2);
      middle.forEach((value, at) => {
        if (value === null) return;
        expect(lower[at]).toBeLessThanOrEqual(value);
        expect(upper[at]).toBeGreaterThanOrEqual(value);
      });
      expect(averageTrueRange(bars, 14).every((value) => value === null || value > 0)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('nothing at a bar depends on the bars after it', () => {
  fc.assert(
    fc.property(closes, (values) => {
      const bars = barsOf(values);
      const all = evaluateRules(bars);
      const cut = bars.length - 20;
      expect(evaluateRules(bars.slice(0, cut))).toEqual(all.slice(0, cut));
      expect(highestHigh(bars.slice(0, cut), 20)).toEqual(highestHigh(bars, 20).slice(0, cut));
    }),
    { numRuns: 20 },
  );
});

test('every play has its stop below the entry and its targets above', () => {
  fc.assert(
    fc.property(closes, (values) => {
      for (const draft of evaluateRules(barsOf(values, 1))) {
        if (draft === null) continue;
        expect(draft.stop).toBeGreaterThan(0);
        expect(draft.stop).toBeLessThan(draft.entry.level);
        for (const target of draft.targets) expect(target).toBeGreaterThan(draft.entry.level);
      }
    }),
    { numRuns: 30 },
  );
});

test('a close above the channel is a breakout, to be bought above its high', () => {
  const flat = Array.from({ length: 60 }, (_, at) => 100 + (at % 2) * 0.2);
  const draft = evaluateRules(barsOf([...flat, 104])).at(-1);
  expect(draft).toMatchObject({ rule: 'breakout', entry: { type: 'stop', level: 104.5 } });
  expect(draft?.inputs['channel_top_20']).toBeCloseTo(100.7);
});

test('a rehearsal counts the stop where a bar reaches stop and target, and takes costs off', () => {
  const flat = Array.from({ length: 60 }, (_, at) => 100 + (at % 2) * 0.2);
  const before = barsOf([...flat, 104]);
  const both = [...before, bar(61, [104, 105, 104, 105]), bar(62, [105, 200, 1, 100])];
  expect(runBacktest(both, 'breakout')).toMatchObject({ trades: 1, wins: 0 });
  const up = [...before, bar(61, [104, 105, 104, 105]), bar(62, [105, 200, 104, 180])];
  const won = runBacktest(up, 'breakout');
  expect([won.trades, won.wins]).toEqual([1, 1]);
  const gross = (evaluateRules(before).at(-1)?.targets[0] ?? 0) / 104.5 - 1;
  expect(won.meanReturn).toBeLessThan(gross);
  expect(runBacktest(before, 'breakout')).toEqual({ trades: 0, wins: 0, meanReturn: null });
});

test('what is not known counts as full risk, and a size never passes its cap', () => {
  const facts = { volatility: 0.6, fall: 0.3, stopDistance: 0.05 };
  const known = computeRisk({ ...facts, volumeUsd: 1e9, topShare: 0.4 });
  const unknown = computeRisk({ ...facts, volumeUsd: null, topShare: null });
  expect(known.parts.map(({ score }) => score)).toEqual([40, 37, 0, 40, 25]);
  expect(unknown.score).toBe(known.score + 26);
  expect(computePositionSize('low', 0.05)).toBe(5);
  expect(computePositionSize('medium', 0.2)).toBe(5);
});

test('volatility and falls follow from the closes', () => {
  // Returns of ln 2 and -ln 2: a sample deviation of ln 2 times the root of 2.
  expect(annualizedVolatility([100, 200, 100], 1)).toBeCloseTo(Math.LN2 * Math.SQRT2);
  expect(annualizedVolatility([100], 365)).toBeNull();
  expect(maxDrawdown([100, 120, 60, 90])).toBe(0.5);
});
