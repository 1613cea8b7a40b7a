import {
  mean,
  sampleCorrelation,
  sampleKurtosis,
  sampleSkewness,
  sampleStandardDeviation,
} from 'simple-statistics';
import { ADX, ATR, BollingerBands, EMA, MACD, RSI, SMA } from 'trading-signals';
import { decimalOf } from '../common/decimal.ts';
import { instantText } from '../data/value.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from './candles.ts';
import type { HistoryReport } from './report/history-report.ts';

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
const LAGS = 5;
const CHANNEL = 20;
const SWING = 5;
const BUCKET_MIN = 5;

type Part<Name extends keyof HistoryReport> = NonNullable<HistoryReport[Name]>;

/** Returns the distribution of returns; `null` for fewer than 4 returns or without variance. */
export function returnsStudy(candles: readonly Candle[], interval: CandleInterval) {
  const returns = returnsOf(candles, interval).map(({ value }) => value);
  if (returns.length < 4) return null;
  const std = sampleStandardDeviation(returns);
  const isFlat = std === 0;
  return {
    ...{ n: returns.length, mean: text(mean(returns)), std: text(std) },
    skew: isFlat ? null : text(sampleSkewness(returns)),
    kurtosis: isFlat ? null : text(sampleKurtosis(returns)),
  };
}

/** Returns the autocorrelation of returns; `null` for fewer than 20 returns or without variance. */
export function autocorrelationStudy(candles: readonly Candle[], interval: CandleInterval) {
  const returns = returnsOf(candles, interval).map(({ value }) => value);
  if (returns.length < CHANNEL || sampleStandardDeviation(returns) === 0) return null;
  const lags = Array.from({ length: LAGS }, (_, at) => at + 1).flatMap((lag) => {
    const r = sampleCorrelation(returns.slice(lag), returns.slice(0, -lag));
    return Number.isFinite(r) ? [{ lag, r: text(r) }] : [];
  });
  return { lags, band: text(1.96 / Math.sqrt(returns.length)) };
}

/** Returns the deepest drawdowns of closes, each from a high until it is regained. */
export function drawdownStudy(candles: readonly Candle[]): Part<'drawdowns'> {
  const found: { from: number; low: number; lowAt: number; until: number | null; top: number }[] =
    [];
  let top = { at: 0, close: 0 };
  for (const { at, close: closeText } of candles) {
    const close = Number(closeText);
    const last = found.at(-1);
    const open = last?.until === null ? last : undefined;
    if (close >= top.close) {
      if (open !== undefined) open.until = at;
      top = { at, close };
    } else if (open === undefined) {
      found.push({ from: top.at, low: close, lowAt: at, until: null, top: top.close });
    } else if (close < open.low) {
      Object.assign(open, { low: close, lowAt: at });
    }
  }
  const depth = (row: (typeof found)[number]) => 1 - row.low / row.top;
  return [...found]
    .sort((one, other) => depth(other) - depth(one))
    .slice(0, 5)
    .map((row) => ({
      ...{ from: instantText(row.from), low_at: instantText(row.lowAt) },
      until: row.until === null ? null : instantText(row.until),
      depth_pct: decimalOf(depth(row) * 100, 4),
    }));
}

/** Returns the mean return by hour of day, or by weekday for daily candles, in UTC. */
export function seasonalityStudy(candles: readonly Candle[], interval: CandleInterval) {
  const buckets = new Map<string, number[]>();
  for (const { at, value } of returnsOf(candles, interval)) {
    const date = new Date(at);
    const weekday = DAYS[date.getUTCDay()] ?? '';
    const hour = `${String(date.getUTCHours()).padStart(2, '0')}:00`;
    const bucket = interval === '1d' ? weekday : hour;
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), value]);
  }
  return [...buckets]
    .filter(([, values]) => values.length >= BUCKET_MIN)
    .map(([bucket, values]) => ({ bucket, n: values.length, mean_return: text(mean(values)) }))
    .sort((one, other) => placeOf(one.bucket) - placeOf(other.bucket));
}

/** Orders weekdays from Monday and hours from midnight. */
function placeOf(bucket: string): number {
  const day = DAYS.indexOf(bucket);
  return day < 0 ? Number(bucket.slice(0, 2)) : (day + 6) % 7;
}

/** Returns the latest periods of each regime, in order. */
export function regimeStudy(candles: readonly Candle[], interval: CandleInterval): Part<'regimes'> {
  const found: { from: number; to: number; regime: 'up' | 'down' | 'sideways' }[] = [];
  for (const { at, close, fast, slow } of tracked(candles)) {
    if (fast === null || slow === null) continue;
    const isUp = close > slow && fast > slow;
    const regime = isUp ? 'up' : close < slow && fast < slow ? 'down' : 'sideways';
    const last = found.at(-1);
    const to = at + CANDLE_INTERVALS[interval];
    if (last?.regime === regime) last.to = to;
    else found.push({ from: at, to, regime });
  }
  return found.slice(-HISTORY_ROWS_MAX).map(({ from, to, regime }) => ({
    ...{ from: instantText(from), to: instantText(to), regime },
  }));
}

/** Returns price levels at which several swings ended. */
export function levelStudy(candles: readonly Candle[]): Part<'support_resistance'> {
  const half = lastOf(candles, new ATR(14)) / 2;
  const groups: { prices: number[]; lastAt: number }[] = [];
  for (const [index, { at, close }] of candles.entries()) {
    const around = candles.slice(Math.max(0, index - SWING), index + SWING + 1);
    const price = Number(close);
    const closes = around.map((one) => Number(one.close));
    const isEnd = price === Math.max(...closes) || price === Math.min(...closes);
    if (around.length < 2 * SWING + 1 || !isEnd) continue;
    const group = groups.find(({ prices }) => Math.abs(mean(prices) - price) <= half);
    if (group === undefined) groups.push({ prices: [price], lastAt: at });
    else Object.assign(group, { prices: [...group.prices, price], lastAt: at });
  }
  return groups
    .filter(({ prices }) => prices.length > 1)
    .sort((one, other) => other.prices.length - one.prices.length)
    .slice(0, 8)
    .map(({ prices, lastAt }) => ({
      ...{ level: text(mean(prices)), touches: prices.length, last_at: instantText(lastAt) },
    }));
}

type PatternName = Exclude<keyof typeof HISTORY_RULES, 'regimes' | 'support_resistance'>;

/** Returns the latest matches of each pattern rule. A match makes no prediction. */
export function patternStudy(
  candles: readonly Candle[],
  interval: CandleInterval,
): Part<'patterns'> {
  const length = CANDLE_INTERVALS[interval];
  const open = new Map<PatternName, { from: number; to: number; name: PatternName }>();
  const found: { from: number; to: number; name: PatternName }[] = [];
  for (const row of tracked(candles)) {
    for (const [name, holds] of Object.entries(holding(row)) as [PatternName, boolean][]) {
      const known = open.get(name);
      if (!holds) open.delete(name);
      else if (known !== undefined) known.to = row.at + length;
      else {
        const begun = { from: row.at, to: row.at + length, name };
        open.set(name, begun);
        found.push(begun);
      }
    }
  }
  return found.slice(-HISTORY_ROWS_MAX).map(({ from, to, name }) => ({
    ...{ name, from: instantText(from), to: instantText(to), rule: HISTORY_RULES[name] },
  }));
}

/** Returns the indicators at the last candle; `null` for an indicator with too few candles. */
export function indicatorStudy(candles: readonly Candle[]): Part<'indicators'> {
  const plain = {
    ...{ sma20: new SMA(20), sma50: new SMA(50), ema20: new EMA(20), rsi14: new RSI(14) },
  };
  const bars = { atr14: new ATR(14), adx14: new ADX(14) };
  const bands = new BollingerBands(20, 2);
  const macd = new MACD(new EMA(12), new EMA(26), new EMA(9));
  for (const candle of candles) {
    const bar = barOf(candle);
    for (const one of Object.values(plain)) one.add(bar.close);
    for (const one of Object.values(bars)) one.add(bar);
    bands.add(bar.close);
    macd.add(bar.close);
  }
  const single = Object.entries({ ...plain, ...bars }).map(([name, one]) => [
    ...[name, shown(one.getResult())],
  ]);
  const [band, line] = [bands.getResult(), macd.getResult()];
  return {
    ...(Object.fromEntries(single) as Record<string, string | null>),
    ...{ bollinger_upper: shown(band?.upper), bollinger_lower: shown(band?.lower) },
    ...{ macd: shown(line?.macd), macd_signal: shown(line?.signal) },
  };
}

interface Tracked {
  readonly at: number;
  readonly close: number;
  readonly fast: number | null;
  readonly slow: number | null;
  readonly before: Pick<Tracked, 'fast' | 'slow'> | undefined;
  readonly strength: number | null;
  /** Highest high and lowest low of the preceding candles; `null` if there are too few. */
  readonly channel: { readonly high: number; readonly low: number } | null;
}

function tracked(candles: readonly Candle[]): readonly Tracked[] {
  const [fast, slow, strength] = [new SMA(20), new SMA(50), new RSI(14)];
  let before: Tracked['before'];
  return candles.map((candle, index) => {
    const { close } = barOf(candle);
    const past = candles.slice(Math.max(0, index - CHANNEL), index).map(barOf);
    const channel = {
      high: Math.max(...past.map(({ high }) => high)),
      low: Math.min(...past.map(({ low }) => low)),
    };
    const row = {
      ...{ at: candle.at, close, before, fast: fast.add(close), slow: slow.add(close) },
      strength: strength.add(close),
      channel: past.length < CHANNEL ? null : channel,
    };
    before = { fast: row.fast, slow: row.slow };
    return row;
  });
}

function holding(row: Tracked): Record<PatternName, boolean> {
  const { close, strength, channel } = row;
  const [was, is] = [above(row.before), above(row)];
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
function above(means: Pick<Tracked, 'fast' | 'slow'> | undefined): boolean | undefined {
  if (means === undefined || means.fast === null || means.slow === null) return undefined;
  return means.fast > means.slow;
}

function returnsOf(candles: readonly Candle[], interval: CandleInterval) {
  return candles.flatMap(({ at, close }, index) => {
    const last = candles[index - 1];
    const isNext = last !== undefined && last.at + CANDLE_INTERVALS[interval] === at;
    return isNext ? [{ at, value: Math.log(Number(close) / Number(last.close)) }] : [];
  });
}

function lastOf(candles: readonly Candle[], range: ATR): number {
  for (const candle of candles) range.add(barOf(candle));
  return range.getResult() ?? 0;
}

function barOf({ high, low, close }: Candle) {
  return { high: Number(high), low: Number(low), close: Number(close) };
}

function shown(figure: number | null | undefined): string | null {
  return figure === null || figure === undefined ? null : text(figure);
}

function text(figure: number): string {
  return decimalOf(figure, PLACES);
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
