import type { MarketQuotes } from '../../domain/market/market-quotes.ts';
import type { MarketBooks, MarketCandles, MarketVenue } from '../../domain/market/markets.ts';
import { type CcxtDeps, createCcxtMarkets } from './ccxt/ccxt-markets.ts';
import { createMarketQuotes } from './market-quotes.ts';
import { createMarkets } from './markets.ts';

/** Combines all exchanges: those with our own adapters, then those read through `ccxt`. */
export function createExchanges(parts: CcxtDeps): {
  readonly quotes: MarketQuotes;
  readonly markets: MarketBooks & MarketCandles;
} {
  const ccxt = createCcxtMarkets(parts);
  const isCcxtVenue = (id: string) => ccxt.venues.some((venue) => venue.id === id);
  const quotes = createMarketQuotes(parts.reader);
  const ownMarkets = createMarkets(parts.reader);
  const joined = (venues: readonly MarketVenue[]) => [...venues, ...ccxt.venues];
  return {
    quotes: {
      venues: joined(quotes.venues),
      quote: (order) => (isCcxtVenue(order.venue) ? ccxt : quotes).quote(order),
    },
    markets: {
      venues: joined(ownMarkets.venues),
      book: (order) => (isCcxtVenue(order.venue) ? ccxt : ownMarkets).book(order),
      candles: (order) => (isCcxtVenue(order.venue) ? ccxt : ownMarkets).candles(order),
    },
  };
}
