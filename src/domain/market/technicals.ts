import { sampleStandardDeviation } from 'simple-statistics';
import { ATR, BollingerBands, EMA, OBV, SMA, TR, WSMA } from 'trading-signals';

/** A candle as numbers. Indicators are computed in floating point. */
export interface Bar {
  /** Start time, in milliseconds since 1970. */
  readonly at: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** One value per bar; `null` until there are enough bars. */
export type IndicatorSeries = readonly (number | null)[];

/** The prices of a bar that measure its range. */
export type PriceRange = Pick<Bar, 'high' | 'low' | 'close'>;

/** Simple moving average. */
export function movingAverage(values: readonly number[], period: number): IndicatorSeries {
  return runIndicator(values, new SMA(period));
}

/**
 * Exponential moving average with weight 2 / (period + 1), seeded with the mean of the first bars.
 */
export function exponentialMovingAverage(values: IndicatorSeries, period: number): IndicatorSeries {
  const [seed, average] = [new SMA(period), new EMA(period)];
  let isSeeded = false;
  return values.map((value) => {
    if (value === null) return null;
    const next = isSeeded ? value : seed.add(value);
    isSeeded = next !== null;
    return next === null ? null : average.add(next);
  });
}

/** Relative strength index (Wilder), 0 to 100; 50 while the price does not move. */
export function relativeStrengthIndex(closes: readonly number[], period: number): IndicatorSeries {
  const changes = closes.map((close, at) => (at === 0 ? null : close - (closes[at - 1] ?? close)));
  const gains = changes.map((change) => (change === null ? null : Math.max(change, 0)));
  const losses = changes.map((change) => (change === null ? null : Math.max(-change, 0)));
  const up = runIndicator(gains, new WSMA(period));
  const down = runIndicator(losses, new WSMA(period));
  return up.map((gain, at) => {
    const loss = down[at] ?? null;
    if (gain === null || loss === null) return null;
    return gain + loss === 0 ? 50 : (100 * gain) / (gain + loss);
  });
}

/** Average true range (Wilder), in units of the price. */
export function averageTrueRange(bars: readonly PriceRange[], period: number): IndicatorSeries {
  return runIndicator(bars, new ATR(period));
}

/** MACD line, signal line and histogram. */
export function computeMacd(closes: readonly number[]): {
  readonly line: IndicatorSeries;
  readonly signal: IndicatorSeries;
  readonly histogram: IndicatorSeries;
} {
  const line = subtract(exponentialMovingAverage(closes, 12), exponentialMovingAverage(closes, 26));
  const signal = exponentialMovingAverage(line, 9);
  return { line, signal, histogram: subtract(line, signal) };
}

/**
 * Bollinger bands: the moving average plus and minus a number of population standard deviations.
 */
export function bollingerBands(
  closes: readonly number[],
  period: number,
  deviations: number,
): {
  readonly middle: IndicatorSeries;
  readonly upper: IndicatorSeries;
  readonly lower: IndicatorSeries;
} {
  const indicator = new BollingerBands(period, deviations);
  const bands = closes.map((close) => indicator.add(close));
  return {
    middle: bands.map((band) => band?.middle ?? null),
    upper: bands.map((band) => band?.upper ?? null),
    lower: bands.map((band) => band?.lower ?? null),
  };
}

/**
 * Average directional index (Wilder) with both directional indicators. The class of the library is
 * not used, because it is not a number while the price does not move.
 */
export function directionalIndex(
  bars: readonly PriceRange[],
  period: number,
): {
  readonly strength: IndicatorSeries;
  readonly plus: IndicatorSeries;
  readonly minus: IndicatorSeries;
} {
  const moves = bars.map((bar, at) => {
    const before = bars[at - 1];
    if (before === undefined) return null;
    const [up, down] = [bar.high - before.high, before.low - bar.low];
    return { up: up > down && up > 0 ? up : 0, down: down > up && down > 0 ? down : 0 };
  });
  const smooth = (values: IndicatorSeries) => runIndicator(values, new WSMA(period));
  const ranges = runIndicator(bars, new TR());
  const range = smooth(ranges.map((one, at) => (at === 0 ? null : one)));
  const share = (values: IndicatorSeries) =>
    smooth(values).map((move, at) => {
      const whole = range[at] ?? null;
      return move === null || whole === null ? null : whole === 0 ? 0 : (100 * move) / whole;
    });
  const plus = share(moves.map((move) => move?.up ?? null));
  const minus = share(moves.map((move) => move?.down ?? null));
  const index = plus.map((one, at) => {
    const other = minus[at] ?? null;
    if (one === null || other === null) return null;
    return one + other === 0 ? 0 : (100 * Math.abs(one - other)) / (one + other);
  });
  return { strength: smooth(index), plus, minus };
}

/** On-balance volume: adds volume on rising closes and subtracts it on falling ones. */
export function onBalanceVolume(bars: readonly Bar[]): readonly number[] {
  return runIndicator(bars, new OBV(2)).map((balance) => balance ?? 0);
}

/** Highest high of the bars before each bar. */
export function highestHigh(bars: readonly Bar[], period: number): IndicatorSeries {
  return bars.map((_, at) =>
    at < period ? null : Math.max(...bars.slice(at - period, at).map(({ high }) => high)),
  );
}

/** Annualized sample standard deviation of logarithmic returns; `null` for fewer than two. */
export function annualizedVolatility(
  closes: readonly number[],
  barsPerYear: number,
): number | null {
  const returns = closes.slice(1).map((close, at) => Math.log(close / (closes[at] ?? close)));
  if (returns.length < 2) return null;
  return sampleStandardDeviation(returns) * Math.sqrt(barsPerYear);
}

/** Maximum drawdown, as a ratio. */
export function maxDrawdown(closes: readonly number[]): number {
  let top = 0;
  return closes.reduce((deepest, close) => {
    top = Math.max(top, close);
    return Math.max(deepest, (top - close) / top);
  }, 0);
}

/** Feeds an indicator one value per bar; a missing value is passed over. */
function runIndicator<T>(
  values: readonly (T | null)[],
  indicator: { add(value: T): number | null },
): IndicatorSeries {
  return values.map((value) => (value === null ? null : indicator.add(value)));
}

function subtract(one: IndicatorSeries, other: IndicatorSeries): IndicatorSeries {
  return one.map((value, at) => {
    const less = other[at] ?? null;
    return value === null || less === null ? null : value - less;
  });
}
