import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { MarketQuotes } from '../../domain/market/market-quotes.ts';
import type { MarketBooks, MarketCandles } from '../../domain/market/markets.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';

/** How long a parsed feed is reused, in milliseconds. */
export const FEED_SHARED_MS = 30 * SECOND_MS;
/** How long a quote is reused, in milliseconds. */
export const QUOTE_SHARED_MS = 5 * SECOND_MS;
/** How long candles are reused, in milliseconds. */
export const CANDLES_SHARED_MS = 10 * SECOND_MS;
/** Most cached answers of one kind. */
export const SHARED_MAX = 500;

/** Wraps a feed reader for frequent callers, such as alerts. Equal requests share one answer. */
export function sharedFeeds(reader: FeedReader, clock: Clock): FeedReader {
  const once = shared(reader.read, {
    ...{ clock, keptMs: FEED_SHARED_MS, keyOf: ({ domain }) => domain },
    isKept: ({ ok }) => ok,
  });
  return { feeds: reader.feeds, read: once };
}

/** Wraps a quote reader so that equal requests share one answer. */
export function sharedQuotes(
  { venues, quote }: MarketQuotes,
  clock: Pick<Clock, 'now'>,
): MarketQuotes {
  const once = shared(quote, {
    ...{ clock, keptMs: QUOTE_SHARED_MS, keyOf: ({ venue, pair }) => `${venue} ${pair}` },
    isKept: ({ ok }) => ok,
  });
  return { venues, quote: once };
}

/** Wraps a market reader so that equal requests for candles share one answer. */
export function sharedMarkets(
  markets: MarketBooks & MarketCandles,
  clock: Clock,
): MarketBooks & MarketCandles {
  const candles = shared(markets.candles, {
    ...{ clock, keptMs: CANDLES_SHARED_MS },
    keyOf: ({ venue, pair, interval, from, to }) => [venue, pair, interval, from, to].join(' '),
    isKept: ({ ok }) => ok,
  });
  // An aborting caller must not stop the read of the others.
  return { ...markets, candles: ({ signal: _signal, ...order }) => candles(order) };
}

interface Sharing<Order, Answer> {
  readonly clock: Pick<Clock, 'now'>;
  readonly keptMs: number;
  readonly keyOf: (order: Order) => string;
  /** Returns whether an answer is cached. After a failure, the next caller reads again. */
  readonly isKept: (answer: Answer) => boolean;
}

function shared<Order, Answer, Rest extends readonly unknown[]>(
  read: (order: Order, ...rest: Rest) => Promise<Answer>,
  { clock, keptMs, keyOf, isKept }: Sharing<Order, Answer>,
): (order: Order, ...rest: Rest) => Promise<Answer> {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Answer> }>();
  return (order, ...rest) => {
    const key = keyOf(order);
    const known = kept.get(key);
    if (known !== undefined && known.until > clock.now()) return known.answer;
    const answer = read(order, ...rest);
    const row = { until: clock.now() + keptMs, answer };
    kept.delete(key);
    kept.set(key, row);
    const forget = () => {
      if (kept.get(key) === row) kept.delete(key);
    };
    answer.then((made) => (isKept(made) ? undefined : forget()), forget);
    const [oldest] = kept.keys();
    if (kept.size > SHARED_MAX && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
}
