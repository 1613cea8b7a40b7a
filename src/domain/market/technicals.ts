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

/** Simple moving average. */
export function movingAverage(values: readonly number[], period: number): IndicatorSeries {
  return values.map((_, at) =>
    at + 1 < period ? null : mean(values.slice(at + 1 - period, at + 1)),
  );
}

/**
 * Exponential moving average with weight 2 / (period + 1), seeded with the mean of the first bars.
 */
export function exponentialMovingAverage(values: IndicatorSeries, period: number): IndicatorSeries {
  return smoothSeries(values, period, 2 / (period + 1));
}

/** Relative strength index (Wilder), 0 to 100. */
export function relativeStrengthIndex(closes: readonly number[], period: number): IndicatorSeries {
  const changes = closes.map((close, at) => (at === 0 ? null : close - (closes[at - 1] ?? close)));
  const gains = changes.map((change) => (change === null ? null : Math.max(change, 0)));
  const losses = changes.map((change) => (change === null ? null : Math.max(-change, 0)));
  const up = smoothSeries(gains, period, 1 / period);
  const down = smoothSeries(losses, period, 1 / period);
  return up.map((gain, at) => {
    const loss = down[at] ?? null;
    if (gain === null || loss === null) return null;
    return gain + loss === 0 ? 50 : (100 * gain) / (gain + loss);
  });
}

/** Average true range (Wilder), in units of the price. */
export function averageTrueRange(bars: readonly Bar[], period: number): IndicatorSeries {
  return smoothSeries(trueRanges(bars), period, 1 / period);
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
  const middle = movingAverage(closes, period);
  const at = (sign: number) =>
    middle.map((center, index) => {
      if (center === null) return null;
      const part = closes.slice(index + 1 - period, index + 1);
      return center + sign * deviations * standardDeviation(part);
    });
  return { middle, upper: at(1), lower: at(-1) };
}

/** Average directional index (Wilder) with both directional indicators. */
export function directionalIndex(
  bars: readonly Bar[],
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
  const smooth = (values: IndicatorSeries) => smoothSeries(values, period, 1 / period);
  const range = smooth(trueRanges(bars).map((one, at) => (at === 0 ? null : one)));
  const share = (values: IndicatorSeries) =>
    smooth(values).map((move, at) => {
      const whole = range[at] ?? null;
      return move === null || whole === null ? null : whole === 0 ? 0 : (100 * move) / whole;
    });
  const plus = share(moves.map((move) => move?.up ?? null));
  const down = share(moves.map((move) => move?.down ?? null));
  const index = plus.map((one, at) => {
    const other = down[at] ?? null;
    if (one === null || other === null) return null;
    return one + other === 0 ? 0 : (100 * Math.abs(one - other)) / (one + other);
  });
  return { strength: smooth(index), plus, minus: down };
}

/** On-balance volume: adds volume on rising closes and subtracts it on falling ones. */
export function onBalanceVolume(bars: readonly Bar[]): readonly number[] {
  let sum = 0;
  return bars.map((bar, at) => {
    const before = bars[at - 1]?.close ?? bar.close;
    sum += Math.sign(bar.close - before) * bar.volume;
    return sum;
  });
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
  const center = mean(returns);
  const sum = returns.reduce((total, one) => total + (one - center) ** 2, 0);
  return Math.sqrt((sum / (returns.length - 1)) * barsPerYear);
}

/** Maximum drawdown, as a ratio. */
export function maxDrawdown(closes: readonly number[]): number {
  let top = 0;
  return closes.reduce((deepest, close) => {
    top = Math.max(top, close);
    return Math.max(deepest, (top - close) / top);
  }, 0);
}

function trueRanges(bars: readonly Bar[]): readonly number[] {
  return bars.map(({ high, low }, at) => {
    const before = bars[at - 1]?.close;
    if (before === undefined) return high - low;
    return Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
  });
}

/** Exponentially smooths a series, seeded with the mean of its first values. */
function smoothSeries(values: IndicatorSeries, period: number, part: number): IndicatorSeries {
  const begin = values.findIndex((value) => value !== null);
  const seeded = begin + period - 1;
  let state: number | null = null;
  return values.map((value, at) => {
    if (begin < 0 || at < seeded || value === null) return null;
    state =
      state === null
        ? mean(values.slice(begin, at + 1).map((one) => one ?? 0))
        : state + part * (value - state);
    return state;
  });
}

function subtract(one: IndicatorSeries, other: IndicatorSeries): IndicatorSeries {
  return one.map((value, at) => {
    const less = other[at] ?? null;
    return value === null || less === null ? null : value - less;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function standardDeviation(values: readonly number[]): number {
  const center = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
}
