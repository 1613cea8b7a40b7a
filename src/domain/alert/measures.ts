import { decimalOf, formatDecimal, parseDecimal, percentOf } from '../common/decimal.ts';
import { cross, netBps } from '../market/arbitrage.ts';
import type { OrderBook } from '../market/book.ts';
import { CANDLE_INTERVALS, type Candle, type CandleInterval } from '../market/candles.ts';
import { volatilityOf } from '../market/volatility.ts';
import type { FeedItem } from '../news/feed.ts';
import type { AlertOp } from './definition.ts';
import type { SpreadSide } from './subject.ts';

/** Books that are further apart than this are not compared, in milliseconds. */
export const SPREAD_SKEW_MS = 5_000;

const VOLATILITY_PLACES = 6;

/** A figure with the moment at which it was so, in milliseconds; or why there is none. */
export type Measure =
  | { readonly value: string; readonly asOf: number }
  | { readonly lacking: string };

/** Which figure of candles is wanted. */
export interface CandleQuestion {
  readonly op: AlertOp;
  readonly candle: CandleInterval;
  /** Milliseconds; 0 where the last close is wanted. */
  readonly windowMs: number;
}

/**
 * The figure of the finished candles of a window that ends with the newest one: its change from
 * the first open to the last close in percent, the volatility of one candle in percent, or the
 * last close. A figure over a window whose begin is missing is none.
 *
 * @param candles - In order of time, the oldest first.
 */
export function candleMeasure(
  candles: readonly Candle[],
  { op, candle, windowMs }: CandleQuestion,
): Measure {
  const newest = candles.at(-1);
  if (newest === undefined) return { lacking: 'There is no finished candle.' };
  const asOf = newest.at + CANDLE_INTERVALS[candle];
  if (windowMs === 0) return { value: plain(newest.close), asOf };
  const within = candles.filter(({ at }) => at >= asOf - windowMs);
  if (op === 'volatility_above') {
    const share = volatilityOf(within, candle, 'close_to_close');
    if (share === undefined) return { lacking: `${within.length} candles are too few.` };
    return { value: decimalOf(share * 100, VOLATILITY_PLACES), asOf };
  }
  const [first] = within;
  if (first === undefined || first.at !== asOf - windowMs) {
    return { lacking: 'The candle at the begin of the window is missing.' };
  }
  const base = parseDecimal(first.open);
  return { value: formatDecimal(percentOf(parseDecimal(newest.close) - base, base)), asOf };
}

/**
 * The best of what buying at one exchange and selling at another brings for the whole size, in
 * basis points of what is spent, less fees where there are any. Directions that the books do not
 * hold whole are none.
 *
 * @param books - One of each side, in the same order.
 */
export function spreadMeasure(
  books: readonly OrderBook[],
  { between, sizeQuote }: { readonly between: readonly SpreadSide[]; readonly sizeQuote: string },
): Measure {
  const times = books.map(({ asOf }) => asOf);
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  if (newest - oldest > SPREAD_SKEW_MS) {
    return { lacking: `The books are ${newest - oldest} ms apart.` };
  }
  const found = books.flatMap((buy, at) =>
    books.flatMap((sell, other) => {
      if (at === other) return [];
      const crossing = cross(buy, sell, sizeQuote);
      if (crossing?.isWhole !== true) return [];
      const fees = { buy: between[at]?.feeBps ?? '0', sell: between[other]?.feeBps ?? '0' };
      return [netBps(crossing, fees)];
    }),
  );
  const [first, ...rest] = found;
  if (first === undefined) return { lacking: 'No two books hold the whole size.' };
  const best = rest.reduce(
    (most, one) => (parseDecimal(one) > parseDecimal(most) ? one : most),
    first,
  );
  return { value: best, asOf: oldest };
}

/**
 * Why a feed cannot tell that something is not in it; `undefined` when it can. One without
 * entries, or without a single date, says nothing of what is new.
 */
export function muteFeed(items: readonly Pick<FeedItem, 'publishedAt'>[]): string | undefined {
  if (items.length === 0) return 'It has no entries.';
  return items.every(({ publishedAt }) => publishedAt === null)
    ? 'None of its entries has a date.'
    : undefined;
}

function plain(text: string): string {
  return formatDecimal(parseDecimal(text));
}
