import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { MarketBooks, MarketCandles, MarketQuotes } from '../../domain/market/markets.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';

/** How long a parsed feed is reused, in milliseconds. */
export const FEED_SHARED_MS = 30 * SECOND_MS;
/** How long a quote is reused, in milliseconds. */
export const QUOTE_SHARED_MS = 5 * SECOND_MS;
/** How long candles are reused, in milliseconds. */
export const CANDLES_SHARED_MS = 10 * SECOND_MS;
/** Most cached answers of one kind. */
export const SHARED_ANSWERS_MAX = 500;

/** Wraps a feed reader for frequent callers, such as alerts. Equal requests share one answer. */
export function shareFeeds(reader: FeedReader, clock: Clock): FeedReader {
  const readShared = shareAnswers(reader.read, {
    clock,
    cacheMs: FEED_SHARED_MS,
    keyOf: ({ domain }) => domain,
    isCacheable: ({ ok }) => ok,
  });
  return { feeds: reader.feeds, read: readShared };
}

/** Wraps a quote reader so that equal requests share one answer. */
export function shareQuotes({ quote }: MarketQuotes, clock: Pick<Clock, 'now'>): MarketQuotes {
  const quoteShared = shareAnswers(quote, {
    clock,
    cacheMs: QUOTE_SHARED_MS,
    keyOf: ({ venue, pair }) => `${venue} ${pair}`,
    isCacheable: ({ ok }) => ok,
  });
  return { quote: quoteShared };
}

/** Wraps a market reader so that equal requests for candles share one answer. */
export function shareMarkets(
  markets: MarketBooks & MarketCandles,
  clock: Clock,
): MarketBooks & MarketCandles {
  const candles = shareAnswers(markets.candles, {
    clock,
    cacheMs: CANDLES_SHARED_MS,
    keyOf: ({ venue, pair, interval, from, to }) => [venue, pair, interval, from, to].join(' '),
    isCacheable: ({ ok }) => ok,
  });
  // An aborting caller must not stop the read of the others.
  return { ...markets, candles: ({ signal: _signal, ...order }) => candles(order) };
}

interface SharingOptions<Order, Answer> {
  readonly clock: Pick<Clock, 'now'>;
  readonly cacheMs: number;
  readonly keyOf: (order: Order) => string;
  /** Returns whether an answer is cached. After a failure, the next caller reads again. */
  readonly isCacheable: (answer: Answer) => boolean;
}

function shareAnswers<Order, Answer, Rest extends readonly unknown[]>(
  read: (order: Order, ...rest: Rest) => Promise<Answer>,
  { clock, cacheMs, keyOf, isCacheable }: SharingOptions<Order, Answer>,
): (order: Order, ...rest: Rest) => Promise<Answer> {
  const cache = new LRUCache<string, Promise<Answer>>({
    max: SHARED_ANSWERS_MAX,
    // An answer is stale once its age exceeds this: at the end of its time.
    ttl: cacheMs - 1,
    ttlResolution: 0,
    perf: clock,
  });
  return (order, ...rest) => {
    const key = keyOf(order);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const answer = read(order, ...rest);
    cache.set(key, answer);
    const forget = () => {
      if (cache.peek(key) === answer) cache.delete(key);
    };
    answer.then((made) => (isCacheable(made) ? undefined : forget()), forget);
    return answer;
  };
}
