import {
  mean,
  sampleCorrelation,
  sampleKurtosis,
  sampleSkewness,
  sampleStandardDeviation,
} from 'simple-statistics';
import { toDecimal } from '../common/decimal.ts';
import { toIsoTime } from '../common/time.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from './candles.ts';
import type { HistoryReport } from './report/history-report.ts';
import {
  averageTrueRange,
  bollingerBands,
  computeMacd,
  directionalIndex,
  exponentialMovingAverage,
  type IndicatorSeries,
  movingAverage,
  relativeStrengthIndex,
} from './technicals.ts';

/** Rules of the analyses, as quoted in results. */
export const HISTORY_RULES = {
  regimes: 'up: close > SMA50 and SMA20 > SMA50; down: both below; else sideways',
  support_resistance:
    'closes of swings (highest or lowest of 5 candles to both sides) within half an ATR14; ' +
    'two or more',
  golden_cross: 'SMA20 goes above SMA50',
  death_cross: 'SMA20 goes below SMA50',
  overbought: 'RSI14 above 70',
  oversold: 'RSI14 below 30',
  breakout_up: 'close above the highest high of the 20 candles before',
  breakout_down: 'close below the lowest low of the 20 candles before',
} as const;

/** Maximum number of rows per list in a result; the latest are kept. */
export const HISTORY_ROWS_MAX = 50;
const PLACES = 8;
const LAG_COUNT = 5;
const CHANNEL_CANDLES = 20;
const SWING_CANDLES = 5;
const BUCKET_MIN = 5;

type ReportPart<Name extends keyof HistoryReport> = NonNullable<HistoryReport[Name]>;

/** Returns the distribution of returns; `null` for fewer than 4 returns or without variance. */
export function analyzeReturns(candles: readonly Candle[], interval: CandleInterval) {
  const returns = computeReturns(candles, interval).map(({ value }) => value);
  if (returns.length < 4) return null;
  const std = sampleStandardDeviation(returns);
  const isFlat = std === 0;
  return {
    n: returns.length,
    mean: formatNumber(mean(returns)),
    std: formatNumber(std),
    skew: isFlat ? null : formatNumber(sampleSkewness(returns)),
    kurtosis: isFlat ? null : formatNumber(sampleKurtosis(returns)),
  };
}

/** Returns the autocorrelation of returns; `null` for fewer than 20 returns or without variance. */
export function analyzeAutocorrelation(candles: readonly Candle[], interval: CandleInterval) {
  const returns = computeReturns(candles, interval).map(({ value }) => value);
  if (returns.length < CHANNEL_CANDLES || sampleStandardDeviation(returns) === 0) return null;
  const lags = Array.from({ length: LAG_COUNT }, (_, at) => at + 1).flatMap((lag) => {
    const r = sampleCorrelation(returns.slice(lag), returns.slice(0, -lag));
    return Number.isFinite(r) ? [{ lag, r: formatNumber(r) }] : [];
  });
  return { lags, band: formatNumber(1.96 / Math.sqrt(returns.length)) };
}

/** Returns the deepest drawdowns of closes, each from a high until it is regained. */
export function analyzeDrawdowns(candles: readonly Candle[]): ReportPart<'drawdowns'> {
  const drawdowns: {
    from: number;
    low: number;
    lowAt: number;
    until: number | null;
    top: number;
  }[] = [];
  let top = { at: 0, close: 0 };
  for (const { at, close: closeText } of candles) {
    const close = Number(closeText);
    const last = drawdowns.at(-1);
    const current = last?.until === null ? last : undefined;
    if (close >= top.close) {
      if (current !== undefined) current.until = at;
      top = { at, close };
    } else if (current === undefined) {
      drawdowns.push({ from: top.at, low: close, lowAt: at, until: null, top: top.close });
    } else if (close < current.low) {
      Object.assign(current, { low: close, lowAt: at });
    }
  }
  const depth = (row: (typeof drawdowns)[number]) => 1 - row.low / row.top;
  return [...drawdowns]
    .sort((one, other) => depth(other) - depth(one))
    .slice(0, 5)
    .map((row) => ({
      from: toIsoTime(row.from),
      low_at: toIsoTime(row.lowAt),
      until: row.until === null ? null : toIsoTime(row.until),
      depth_pct: toDecimal(depth(row) * 100, 4),
    }));
}

/** Returns the mean return by hour of day, or by weekday for daily candles, in UTC. */
export function analyzeSeasonality(candles: readonly Candle[], interval: CandleInterval) {
  const buckets = new Map<string, number[]>();
  for (const { at, value } of computeReturns(candles, interval)) {
    const date = new Date(at);
    const weekday = DAYS[date.getUTCDay()] ?? '';
    const hour = `${String(date.getUTCHours()).padStart(2, '0')}:00`;
    const bucket = interval === '1d' ? weekday : hour;
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), value]);
  }
  return [...buckets]
    .filter(([, values]) => values.length >= BUCKET_MIN)
    .map(([bucket, values]) => ({
      bucket,
      n: values.length,
      mean_return: formatNumber(mean(values)),
    }))
    .sort((one, other) => bucketOrder(one.bucket) - bucketOrder(other.bucket));
}

/** Orders weekdays from Monday and hours from midnight. */
function bucketOrder(bucket: string): number {
  const day = DAYS.indexOf(bucket);
  return day < 0 ? Number(bucket.slice(0, 2)) : (day + 6) % 7;
}

/** Returns the latest periods of each regime, in order. */
export function analyzeRegimes(
  candles: readonly Candle[],
  interval: CandleInterval,
): ReportPart<'regimes'> {
  const periods: { from: number; to: number; regime: 'up' | 'down' | 'sideways' }[] = [];
  for (const { at, close, fast, slow } of trackIndicators(candles)) {
    if (fast === null || slow === null) continue;
    const isUp = close > slow && fast > slow;
    const regime = isUp ? 'up' : close < slow && fast < slow ? 'down' : 'sideways';
    const last = periods.at(-1);
    const to = at + CANDLE_INTERVALS[interval];
    if (last?.regime === regime) last.to = to;
    else periods.push({ from: at, to, regime });
  }
  return periods.slice(-HISTORY_ROWS_MAX).map(({ from, to, regime }) => ({
    from: toIsoTime(from),
    to: toIsoTime(to),
    regime,
  }));
}

/** Returns price levels at which several swings ended. */
export function analyzeLevels(candles: readonly Candle[]): ReportPart<'support_resistance'> {
  const tolerance = (averageTrueRange(candles.map(toNumbers), 14).at(-1) ?? 0) / 2;
  const groups: { prices: number[]; lastAt: number }[] = [];
  for (const [index, { at, close }] of candles.entries()) {
    const window = candles.slice(Math.max(0, index - SWING_CANDLES), index + SWING_CANDLES + 1);
    const price = Number(close);
    const closes = window.map((one) => Number(one.close));
    const isEnd = price === Math.max(...closes) || price === Math.min(...closes);
    if (window.length < 2 * SWING_CANDLES + 1 || !isEnd) continue;
    const group = groups.find(({ prices }) => Math.abs(mean(prices) - price) <= tolerance);
    if (group === undefined) groups.push({ prices: [price], lastAt: at });
    else Object.assign(group, { prices: [...group.prices, price], lastAt: at });
  }
  return groups
    .filter(({ prices }) => prices.length > 1)
    .sort((one, other) => other.prices.length - one.prices.length)
    .slice(0, 8)
    .map(({ prices, lastAt }) => ({
      level: formatNumber(mean(prices)),
      touches: prices.length,
      last_at: toIsoTime(lastAt),
    }));
}

type PatternName = Exclude<keyof typeof HISTORY_RULES, 'regimes' | 'support_resistance'>;

/** Returns the latest matches of each pattern rule. A match makes no prediction. */
export function analyzePatterns(
  candles: readonly Candle[],
  interval: CandleInterval,
): ReportPart<'patterns'> {
  const length = CANDLE_INTERVALS[interval];
  const ongoing = new Map<PatternName, { from: number; to: number; name: PatternName }>();
  const matches: { from: number; to: number; name: PatternName }[] = [];
  for (const row of trackIndicators(candles)) {
    for (const [name, holds] of Object.entries(evaluatePatterns(row)) as [PatternName, boolean][]) {
      const known = ongoing.get(name);
      if (!holds) ongoing.delete(name);
      else if (known !== undefined) known.to = row.at + length;
      else {
        const match = { from: row.at, to: row.at + length, name };
        ongoing.set(name, match);
        matches.push(match);
      }
    }
  }
  return matches.slice(-HISTORY_ROWS_MAX).map(({ from, to, name }) => ({
    name,
    from: toIsoTime(from),
    to: toIsoTime(to),
    rule: HISTORY_RULES[name],
  }));
}

/** Returns the indicators at the last candle; `null` for an indicator with too few candles. */
export function computeIndicators(candles: readonly Candle[]): ReportPart<'indicators'> {
  const bars = candles.map(toNumbers);
  const closes = bars.map(({ close }) => close);
  const bands = bollingerBands(closes, 20, 2);
  const macd = computeMacd(closes);
  return {
    sma20: formatLast(movingAverage(closes, 20)),
    sma50: formatLast(movingAverage(closes, 50)),
    ema20: formatLast(exponentialMovingAverage(closes, 20)),
    rsi14: formatLast(relativeStrengthIndex(closes, 14)),
    atr14: formatLast(averageTrueRange(bars, 14)),
    adx14: formatLast(directionalIndex(bars, 14).strength),
    bollinger_upper: formatLast(bands.upper),
    bollinger_lower: formatLast(bands.lower),
    macd: formatLast(macd.line),
    macd_signal: formatLast(macd.signal),
  };
}

interface TrackedCandle {
  readonly at: number;
  readonly close: number;
  readonly fast: number | null;
  readonly slow: number | null;
  readonly before: Pick<TrackedCandle, 'fast' | 'slow'> | undefined;
  readonly strength: number | null;
  /** Highest high and lowest low of the preceding candles; `null` if there are too few. */
  readonly channel: { readonly high: number; readonly low: number } | null;
}

function trackIndicators(candles: readonly Candle[]): readonly TrackedCandle[] {
  const closes = candles.map(({ close }) => Number(close));
  const [fast, slow] = [movingAverage(closes, 20), movingAverage(closes, 50)];
  const strength = relativeStrengthIndex(closes, 14);
  let before: TrackedCandle['before'];
  return candles.map((candle, index) => {
    const { close } = toNumbers(candle);
    const past = candles.slice(Math.max(0, index - CHANNEL_CANDLES), index).map(toNumbers);
    const channel = {
      high: Math.max(...past.map(({ high }) => high)),
      low: Math.min(...past.map(({ low }) => low)),
    };
    const row = {
      at: candle.at,
      close,
      before,
      fast: fast[index] ?? null,
      slow: slow[index] ?? null,
      strength: strength[index] ?? null,
      channel: past.length < CHANNEL_CANDLES ? null : channel,
    };
    before = { fast: row.fast, slow: row.slow };
    return row;
  });
}

function evaluatePatterns(row: TrackedCandle): Record<PatternName, boolean> {
  const { close, strength, channel } = row;
  const [was, is] = [isFastAbove(row.before), isFastAbove(row)];
  return {
    golden_cross: was === false && is === true,
    death_cross: was === true && is === false,
    overbought: strength !== null && strength > 70,
    oversold: strength !== null && strength < 30,
    breakout_up: channel !== null && close > channel.high,
    breakout_down: channel !== null && close < channel.low,
  };
}

/** Checks whether the fast mean is above the slow one; `undefined` until both exist. */
function isFastAbove(means: Pick<TrackedCandle, 'fast' | 'slow'> | undefined): boolean | undefined {
  if (means === undefined || means.fast === null || means.slow === null) return undefined;
  return means.fast > means.slow;
}

function computeReturns(candles: readonly Candle[], interval: CandleInterval) {
  return candles.flatMap(({ at, close }, index) => {
    const last = candles[index - 1];
    const isNext = last !== undefined && last.at + CANDLE_INTERVALS[interval] === at;
    return isNext ? [{ at, value: Math.log(Number(close) / Number(last.close)) }] : [];
  });
}

function toNumbers({ high, low, close }: Candle) {
  return { high: Number(high), low: Number(low), close: Number(close) };
}

function formatLast(series: IndicatorSeries): string | null {
  const figure = series.at(-1) ?? null;
  return figure === null ? null : formatNumber(figure);
}

function formatNumber(figure: number): string {
  return toDecimal(figure, PLACES);
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
