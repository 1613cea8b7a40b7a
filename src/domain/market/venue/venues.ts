import type { Upstream } from '../../data/upstreams.ts';
import { BINANCE } from './binance.ts';
import { BITSTAMP } from './bitstamp.ts';
import { CCXT_VENUES } from './ccxt-venues.ts';
import { COINBASE, COINBASE_BOOKS } from './coinbase.ts';
import { KRAKEN } from './kraken.ts';
import type { VenueFacts } from './venue.ts';

/** Source of the taker fees of all venues. Actual fees may differ by tier, pair and discount. */
export const FEE_TABLE_SOURCE = 'ccxt@4.5.84';

/** Exchanges with adapters of their own, in the order of a reference price. */
export const ADAPTER_VENUES = [KRAKEN, COINBASE, BINANCE, BITSTAMP];

/** Every exchange, in the order of a reference price. */
export const VENUES: readonly VenueFacts[] = [...ADAPTER_VENUES, ...CCXT_VENUES];

/** Every exchange, in the order in which books and candles are read. */
export const MARKET_VENUES: readonly VenueFacts[] = [
  ...ADAPTER_VENUES.toSorted((one, other) => one.marketRank - other.marketRank),
  ...CCXT_VENUES,
];

/** The names of the exchanges that are queried by default. */
export const DEFAULT_VENUE_IDS = ADAPTER_VENUES.map(({ id }) => id);

/** The names of the exchanges that are queried only if the caller names them. */
export const NAMED_VENUE_IDS = CCXT_VENUES.map(({ id }) => id);

/** The upstreams of all exchanges by name. */
export const VENUE_UPSTREAMS = {
  ...upstreamsOf(ADAPTER_VENUES),
  coinbasebooks: COINBASE_BOOKS,
  ...upstreamsOf(CCXT_VENUES),
};

/** Returns an exchange, or `undefined` for an unknown name. */
export function findVenue(id: string): VenueFacts | undefined {
  return VENUES.find((venue) => venue.id === id);
}

function upstreamsOf<Id extends string>(venues: readonly VenueFacts<Id>[]) {
  const named = venues.map(({ id, upstream }) => [id, upstream]);
  return Object.fromEntries(named) as Readonly<Record<Id, Upstream>>;
}
