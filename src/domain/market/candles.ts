import { parseDecimal } from '../common/decimal.ts';
import { DAY_MS, MINUTE_MS } from '../common/time.ts';

/** Candle intervals in milliseconds. Every venue supports all of them. */
export const CANDLE_INTERVALS = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '1d': DAY_MS,
} as const;

/** The name of a candle interval. */
export type CandleInterval = keyof typeof CANDLE_INTERVALS;

/** Trading during one interval. Decimals in the currencies of the pair. */
export interface Candle {
  /** Start time, in milliseconds since 1970. */
  readonly at: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** In units of the base. */
  readonly volume: string;
}

/** A time range in milliseconds since 1970, from inclusive start to exclusive end. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A time range without candles, and the number of missing ones. */
export interface CandleGap extends TimeRange {
  readonly missing: number;
}

/** Extends a time range to whole candles. */
export function roundToCandles({ from, to }: TimeRange, interval: CandleInterval): TimeRange {
  const length = CANDLE_INTERVALS[interval];
  return { from: Math.floor(from / length) * length, to: Math.ceil(to / length) * length };
}

/**
 * Sorts candles, oldest first, and drops those outside of the range and the unfinished one.
 *
 * @param now - Time of the response, in milliseconds since 1970.
 * @returns `undefined` if a candle is invalid: inconsistent or non-positive prices, a start off the
 * grid, or two different candles for one time.
 */
export function validateCandles(
  rows: readonly Candle[],
  {
    from,
    to,
    interval,
    now,
  }: TimeRange & { readonly interval: CandleInterval; readonly now: number },
): readonly Candle[] | undefined {
  const length = CANDLE_INTERVALS[interval];
  const found = new Map<number, Candle>();
  for (const row of rows) {
    if (!isValidCandle(row) || row.at % length !== 0) return undefined;
    const existing = found.get(row.at);
    if (existing !== undefined && !isSameCandle(existing, row)) return undefined;
    if (row.at >= from && row.at < to && row.at + length <= now) found.set(row.at, row);
  }
  return [...found.values()].sort((one, other) => one.at - other.at);
}

/** Returns the gaps in a time range of whole candles. */
export function findGaps(
  candles: readonly Candle[],
  { from, to }: TimeRange,
  interval: CandleInterval,
): readonly CandleGap[] {
  const length = CANDLE_INTERVALS[interval];
  const gaps: CandleGap[] = [];
  let expectedAt = from;
  for (const at of [...candles.map((candle) => candle.at), to]) {
    if (at > expectedAt)
      gaps.push({ from: expectedAt, to: at, missing: Math.round((at - expectedAt) / length) });
    expectedAt = at + length;
  }
  return gaps;
}

function isValidCandle({ open, high, low, close, volume }: Candle): boolean {
  const [top, bottom] = [parseDecimal(high), parseDecimal(low)];
  const isWithin = [open, close].every((text) => {
    const price = parseDecimal(text);
    return bottom <= price && price <= top;
  });
  return bottom > 0n && isWithin && parseDecimal(volume) >= 0n;
}

function isSameCandle(one: Candle, other: Candle): boolean {
  const keys = ['open', 'high', 'low', 'close', 'volume'] as const;
  return keys.every((key) => one[key] === other[key]);
}
