import type { Reading } from '../../domain/data/upstreams.ts';
import { type OrderBook, soundSides } from '../../domain/market/book.ts';
import { wholeCandles } from '../../domain/market/candles.ts';
import type {
  CandleOrder,
  CandleReading,
  MarketBooks,
  MarketCandles,
  MarketOrder,
} from '../../domain/market/markets.ts';
import type { Parsed, UpstreamReader } from '../data/upstream-reader.ts';
import { BINANCE } from './binance.ts';
import { BITSTAMP } from './bitstamp.ts';
import { COINBASE } from './coinbase.ts';
import { KRAKEN } from './kraken.ts';
import { namesOf, readerAt, readPages, timeOf } from './market-reading.ts';
import type { MarketVenue, ReadBook, Refusal } from './market-venue.ts';

/** Exchanges whose books and candles are read by our own adapters. */
export const MARKET_VENUES: readonly MarketVenue[] = [COINBASE, KRAKEN, BITSTAMP, BINANCE];

/** Creates the reader of order books and candles of exchanges. */
export function createMarkets(reader: UpstreamReader): MarketBooks & MarketCandles {
  const at = readerAt(MARKET_VENUES);
  return {
    venues: MARKET_VENUES.map(({ id, quotes }) => ({ id, quotes })),
    book: at((venue, order: MarketOrder) => readBook(reader, venue, order)),
    candles: at((venue, order: CandleOrder) => readCandles(reader, venue, order)),
  };
}

async function readBook(
  reader: UpstreamReader,
  venue: MarketVenue,
  { pair, deadline, signal }: MarketOrder,
): Promise<Reading<OrderBook>> {
  const request = { upstream: venue.bookUpstream, path: venue.bookPath(namesOf(pair)) };
  const reading = await reader.read({ ...request, deadline, signal }, (answer) =>
    parsed(venue.book(answer), pair, bookOf),
  );
  if (!reading.ok) return reading;
  const { asOf, ...sides } = reading.value;
  return { ...reading, value: { venue: venue.id, ...sides, ...timeOf(asOf, reading.source) } };
}

function bookOf(book: ReadBook): ReadBook | undefined {
  const sides = soundSides(book);
  return sides === undefined ? undefined : { ...sides, asOf: book.asOf };
}

async function readCandles(
  reader: UpstreamReader,
  venue: MarketVenue,
  order: CandleOrder,
): Promise<CandleReading> {
  const { pair, interval, deadline, signal } = order;
  const stretch = wholeCandles(order, interval);
  const request = { upstream: venue.candleUpstream, deadline, signal };
  return readPages({
    ...{ venue: venue.id, interval, stretch },
    pages: venue.candlePaths({ ...namesOf(pair), interval, ...stretch }),
    read: (path) =>
      reader.read({ ...request, path }, (answer) =>
        parsed(venue.candles(answer), pair, (found) => found),
      ),
  });
}

/** Converts the result of an adapter to a value or a failure. */
function parsed<T extends object>(
  found: T | Refusal,
  pair: string,
  check: (found: T) => T | undefined,
): Parsed<T> {
  if (found === 'unknown_symbol') return { fault: found, why: `The venue has no pair ${pair}.` };
  if (found === 'closed') return { fault: 'market_closed', why: `${pair} does not trade now.` };
  const value = found === undefined ? undefined : check(found);
  if (value !== undefined) return { value };
  return { fault: 'upstream_bad_payload', why: 'The answer has an unexpected form.' };
}
