import type { SourceReading } from '../../domain/data/upstreams.ts';
import { roundToCandles } from '../../domain/market/candles.ts';
import type {
  CandleQuery,
  CandleReading,
  MarketBooks,
  MarketCandles,
  MarketQuery,
} from '../../domain/market/markets.ts';
import { type OrderBook, validateSides } from '../../domain/market/order-book.ts';
import type { Parsed, UpstreamReader } from '../data/upstream-reader.ts';
import { BINANCE } from './binance.ts';
import { BITSTAMP } from './bitstamp.ts';
import { COINBASE } from './coinbase.ts';
import { KRAKEN } from './kraken.ts';
import { createVenueReader, readCandlePages, resolveTime, splitPair } from './market-reading.ts';
import type { MarketVenue, ReadBook, VenueFailure } from './market-venue.ts';

/** Exchanges whose books and candles are read by our own adapters. */
export const MARKET_VENUES: readonly MarketVenue[] = [COINBASE, KRAKEN, BITSTAMP, BINANCE];

/** Creates the reader of order books and candles of exchanges. */
export function createMarkets(reader: UpstreamReader): MarketBooks & MarketCandles {
  const at = createVenueReader(MARKET_VENUES);
  return {
    venues: MARKET_VENUES.map(({ id, quotes }) => ({ id, quotes })),
    book: at((venue, order: MarketQuery) => readBook(reader, venue, order)),
    candles: at((venue, order: CandleQuery) => readCandles(reader, venue, order)),
  };
}

async function readBook(
  reader: UpstreamReader,
  venue: MarketVenue,
  { pair, deadline, signal }: MarketQuery,
): Promise<SourceReading<OrderBook>> {
  const request = { upstream: venue.bookUpstream, path: venue.bookPath(splitPair(pair)) };
  const reading = await reader.read({ ...request, deadline, signal }, (answer) =>
    toParsed(venue.book(answer), pair, checkBook),
  );
  if (!reading.ok) return reading;
  const { asOf, ...sides } = reading.value;
  return { ...reading, value: { venue: venue.id, ...sides, ...resolveTime(asOf, reading.source) } };
}

function checkBook(book: ReadBook): ReadBook | undefined {
  const sides = validateSides(book);
  return sides === undefined ? undefined : { ...sides, asOf: book.asOf };
}

async function readCandles(
  reader: UpstreamReader,
  venue: MarketVenue,
  order: CandleQuery,
): Promise<CandleReading> {
  const { pair, interval, deadline, signal } = order;
  const stretch = roundToCandles(order, interval);
  const request = { upstream: venue.candleUpstream, deadline, signal };
  return readCandlePages({
    venue: venue.id,
    interval,
    range: stretch,
    pages: venue.candlePaths({ ...splitPair(pair), interval, ...stretch }),
    read: (path) =>
      reader.read({ ...request, path }, (answer) =>
        toParsed(venue.candles(answer), pair, (found) => found),
      ),
  });
}

/** Converts the result of an adapter to a value or a failure. */
function toParsed<T extends object>(
  found: T | VenueFailure,
  pair: string,
  check: (found: T) => T | undefined,
): Parsed<T> {
  if (found === 'unknown_symbol') return { fault: found, why: `The venue has no pair ${pair}.` };
  if (found === 'closed') return { fault: 'market_closed', why: `${pair} does not trade now.` };
  const value = found === undefined ? undefined : check(found);
  if (value !== undefined) return { value };
  return { fault: 'upstream_bad_payload', why: 'The answer has an unexpected form.' };
}
