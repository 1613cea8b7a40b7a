import type { MarketQuotes } from '../../domain/market/market-quotes.ts';
import type { MarketBooks, MarketCandles, MarketPlace } from '../../domain/market/markets.ts';
import { type CcxtParts, ccxtMarkets } from './ccxt/ccxt-markets.ts';
import { marketQuotes } from './market-quotes.ts';
import { createMarkets } from './markets.ts';

/** Combines all exchanges: those with our own adapters, then those read through `ccxt`. */
export function allExchanges(parts: CcxtParts): {
  readonly quotes: MarketQuotes;
  readonly markets: MarketBooks & MarketCandles;
} {
  const further = ccxtMarkets(parts);
  const isFurther = (id: string) => further.venues.some((venue) => venue.id === id);
  const quotes = marketQuotes(parts.reader);
  const own = createMarkets(parts.reader);
  const joined = (venues: readonly MarketPlace[]) => [...venues, ...further.venues];
  return {
    quotes: {
      venues: joined(quotes.venues),
      quote: (order) => (isFurther(order.venue) ? further : quotes).quote(order),
    },
    markets: {
      venues: joined(own.venues),
      book: (order) => (isFurther(order.venue) ? further : own).book(order),
      candles: (order) => (isFurther(order.venue) ? further : own).candles(order),
    },
  };
}
