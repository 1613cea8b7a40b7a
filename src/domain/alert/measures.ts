import { computePercent, formatDecimal, parseDecimal, toDecimal } from '../common/decimal.ts';
import { computeNetBps, walkBooks } from '../market/arbitrage.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from '../market/candles.ts';
import type { OrderBook } from '../market/order-book.ts';
import { estimateVolatility } from '../market/volatility.ts';
import type { FeedItem } from '../news/feed.ts';
import type { AlertOp } from './definition.ts';
import type { SpreadSide } from './subject.ts';

/** Maximum age difference between two order books that are compared, in milliseconds. */
export const SPREAD_SKEW_MS = 5_000;

const VOLATILITY_PLACES = 6;

/** A measured value with its time in milliseconds, or the reason why there is none. */
export type Measure =
  | { readonly value: string; readonly asOf: number }
  | { readonly lacking: string };

/** Selects the value to compute from candles. */
export interface CandleMeasureQuery {
  readonly op: AlertOp;
  readonly candle: CandleInterval;
  /** Milliseconds; 0 selects the last close. */
  readonly windowMs: number;
}

/**
 * Measures the finished candles in the window that ends with the newest one.
 *
 * Returns the percent change from first open to last close, the volatility per candle in percent,
 * or the last close. Returns no value if the start of the window is missing.
 *
 * @param candles - Sorted by time, oldest first.
 */
export function measureCandles(
  candles: readonly Candle[],
  { op, candle, windowMs }: CandleMeasureQuery,
): Measure {
  const newest = candles.at(-1);
  if (newest === undefined) return { lacking: 'No finished candle is available.' };
  const asOf = newest.at + CANDLE_INTERVALS[candle];
  if (windowMs === 0) return { value: normalizeDecimal(newest.close), asOf };
  const within = candles.filter(({ at }) => at >= asOf - windowMs);
  if (op === 'volatility_above') {
    const share = estimateVolatility(within, candle, 'close_to_close');
    if (share === undefined) {
      return { lacking: `${within.length} candles are too few for volatility.` };
    }
    return { value: toDecimal(share * 100, VOLATILITY_PLACES), asOf };
  }
  const [first] = within;
  if (first === undefined || first.at !== asOf - windowMs) {
    return { lacking: 'The first candle of the window is missing.' };
  }
  const base = parseDecimal(first.open);
  return { value: formatDecimal(computePercent(parseDecimal(newest.close) - base, base)), asOf };
}

/**
 * Returns the best net spread for the full size across all pairs of exchanges.
 *
 * The spread is in basis points of the amount spent, after fees if any. Skips directions in which
 * the books cannot fill the whole size.
 *
 * @param books - One book per entry of `between`, in the same order.
 */
export function measureSpread(
  books: readonly OrderBook[],
  { between, sizeQuote }: { readonly between: readonly SpreadSide[]; readonly sizeQuote: string },
): Measure {
  const times = books.map(({ asOf }) => asOf);
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  if (newest - oldest > SPREAD_SKEW_MS) {
    return { lacking: `The order books are ${newest - oldest} ms apart.` };
  }
  const found = books.flatMap((buy, at) =>
    books.flatMap((sell, other) => {
      if (at === other) return [];
      const crossing = walkBooks(buy, sell, sizeQuote);
      if (crossing?.isComplete !== true) return [];
      const fees = { buy: between[at]?.feeBps ?? '0', sell: between[other]?.feeBps ?? '0' };
      return [computeNetBps(crossing, fees)];
    }),
  );
  const [first, ...rest] = found;
  if (first === undefined) return { lacking: 'No two order books can fill the whole size.' };
  const best = rest.reduce(
    (most, one) => (parseDecimal(one) > parseDecimal(most) ? one : most),
    first,
  );
  return { value: best, asOf: oldest };
}

/**
 * Returns why a feed cannot prove that an item is absent, or `undefined` if it can. A feed without
 * entries, or without any date, does not show what is new.
 */
export function explainUnusableFeed(
  items: readonly Pick<FeedItem, 'publishedAt'>[],
): string | undefined {
  if (items.length === 0) return 'The feed has no entries.';
  return items.every(({ publishedAt }) => publishedAt === null)
    ? 'No entry of the feed has a date.'
    : undefined;
}

function normalizeDecimal(text: string): string {
  return formatDecimal(parseDecimal(text));
}
