import { type DataFault, faultOf } from '../../../domain/data/fault.ts';
import type { SourceFacts } from '../../../domain/data/source.ts';
import { type OrderBook, soundSides } from '../../../domain/market/book.ts';
import { type Candle, soundCandles, wholeCandles } from '../../../domain/market/candles.ts';
import type {
  CandleOrder,
  CandleReading,
  MarketBooks,
  MarketCandles,
  MarketOrder,
} from '../../../domain/ports/markets.ts';
import type { Reading } from '../../../domain/ports/upstreams.ts';
import type { Parsed, UpstreamReader } from '../upstream-reader.ts';
import { BINANCE } from './binance.ts';
import { BITSTAMP } from './bitstamp.ts';
import { COINBASE } from './coinbase.ts';
import { KRAKEN } from './kraken.ts';
import type { MarketVenue, ReadBook, Refusal } from './market-venue.ts';

/** Pages of candles for one reading at the most. */
export const CANDLE_PAGES_MAX = 20;

/** Exchanges whose books and candles are read by adapters of our own. */
export const MARKET_VENUES: readonly MarketVenue[] = [COINBASE, KRAKEN, BITSTAMP, BINANCE];

/** Order books and candles of exchanges, through the reader of upstreams. */
export function createMarkets(reader: UpstreamReader): MarketBooks & MarketCandles {
  const find = (id: string) => MARKET_VENUES.find((venue) => venue.id === id);
  return {
    venues: MARKET_VENUES.map(({ id, quotes }) => ({ id, quotes })),
    book: async (order) => {
      const venue = find(order.venue);
      return venue === undefined ? noVenue(order.venue) : readBook(reader, venue, order);
    },
    candles: async (order) => {
      const venue = find(order.venue);
      return venue === undefined ? noVenue(order.venue) : readCandles(reader, venue, order);
    },
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
  const { revalidated_at: again, retrieved_at: first } = reading.source;
  // A venue that names no time says what holds when it answers.
  const time =
    asOf === null
      ? ({ asOf: Date.parse(again ?? first), asOfKind: 'received' } as const)
      : ({ asOf, asOfKind: 'upstream_event' } as const);
  return { ...reading, value: { venue: venue.id, ...sides, ...time } };
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
  const paths = venue.candlePaths({ ...namesOf(pair), interval, ...stretch });
  if (paths.length > CANDLE_PAGES_MAX) {
    const detail = `More candles than ${CANDLE_PAGES_MAX} answers hold.`;
    return { ok: false, fault: faultOf('invalid_input', { upstream: venue.id, detail }) };
  }
  const request = { upstream: venue.candleUpstream, deadline, signal };
  const rows: Candle[] = [];
  const sources: SourceFacts[] = [];
  for (const path of paths) {
    const page = await reader.read({ ...request, path }, (answer) =>
      parsed(venue.candles(answer), pair, (found) => found),
    );
    if (!page.ok) return page;
    rows.push(...page.value);
    sources.push(page.source);
  }
  const now = Math.min(...sources.map(({ retrieved_at: at }) => Date.parse(at)));
  const candles = soundCandles(rows, { ...stretch, interval, now });
  if (candles !== undefined) return { ok: true, candles, sources };
  const detail = 'Candles whose prices or times cannot be.';
  return { ok: false, fault: faultOf('upstream_bad_payload', { upstream: venue.id, detail }) };
}

/** What an adapter found, or the fault that it stands for. */
function parsed<T extends object>(
  found: T | Refusal,
  pair: string,
  check: (found: T) => T | undefined,
): Parsed<T> {
  if (found === 'unknown_symbol') return { fault: found, why: `It does not have ${pair}.` };
  if (found === 'closed') return { fault: 'market_closed', why: `It does not trade ${pair} now.` };
  const value = found === undefined ? undefined : check(found);
  if (value !== undefined) return { value };
  return { fault: 'upstream_bad_payload', why: 'The answer does not fit.' };
}

function namesOf(pair: string) {
  const [base = '', quote = ''] = pair.split('/');
  return { base, quote };
}

function noVenue(upstream: string): { readonly ok: false; readonly fault: DataFault } {
  return {
    ok: false,
    fault: faultOf('invalid_input', { upstream, detail: 'There is no such venue.' }),
  };
}
