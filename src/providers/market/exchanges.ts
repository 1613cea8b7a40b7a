import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { createDataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import {
  type Candle,
  type CandleInterval,
  roundToCandles,
  type TimeRange,
  validateCandles,
} from '../../domain/market/candles.ts';
import type {
  CandleQuery,
  CandleReading,
  MarketBooks,
  MarketCandles,
  MarketQuery,
  MarketQuotes,
} from '../../domain/market/markets.ts';
import { validateSides } from '../../domain/market/order-book.ts';
import { CCXT_VENUES } from '../../domain/market/venue/ccxt-venues.ts';
import {
  type AdapterVenue,
  type ReadBook,
  type ReadTicker,
  splitPair,
  type VenueFailure,
} from '../../domain/market/venue/venue.ts';
import { ADAPTER_VENUES } from '../../domain/market/venue/venues.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';
import { type CcxtDeps, createCcxtReader } from './ccxt/ccxt-markets.ts';

/** Most pages of candles for one reading. */
export const CANDLE_PAGES_MAX = 20;

/** What one exchange answers. Times are those that it reports. */
interface VenueReader {
  ticker(order: MarketQuery): Promise<SourceReading<ReadTicker>>;
  book(order: MarketQuery): Promise<SourceReading<ReadBook>>;
  /** Returns the reads that cover a range of whole candles. */
  candlePages(order: CandleQuery): readonly ReadPage[];
}

type ReadPage = () => Promise<SourceReading<readonly Candle[]>>;

/** Creates the reader of all exchanges: those with our own adapters, and those read with `ccxt`. */
export function createExchanges(parts: CcxtDeps): {
  readonly quotes: MarketQuotes;
  readonly markets: MarketBooks & MarketCandles;
} {
  const readers = new Map<string, VenueReader>([
    ...ADAPTER_VENUES.map((venue) => [venue.id, createAdapterReader(parts.reader, venue)] as const),
    ...CCXT_VENUES.map((venue) => [venue.id, createCcxtReader(parts, venue)] as const),
  ]);
  return {
    quotes: { quote: async (order) => readDated(order, readers.get(order.venue)?.ticker(order)) },
    markets: {
      book: async (order) => readDated(order, readers.get(order.venue)?.book(order)),
      candles: async (order) => {
        const { venue, interval } = order;
        const range = roundToCandles(order, interval);
        const pages = readers.get(venue)?.candlePages({ ...order, ...range });
        if (pages === undefined) return unknownVenue(venue);
        return readCandlePages({ venue, interval, range, pages });
      },
    },
  };
}

/** Adds the venue and the time: the venue's own, or else the time at which its answer arrived. */
async function readDated<Read extends { readonly asOf: number | null }>(
  { venue }: Pick<MarketQuery, 'venue'>,
  pending: Promise<SourceReading<Read>> | undefined,
) {
  const reading = pending === undefined ? unknownVenue(venue) : await pending;
  if (!reading.ok) return reading;
  const { asOf, ...read } = reading.value;
  const { revalidated_at: again, retrieved_at: first } = reading.source;
  const time =
    asOf === null
      ? ({ asOf: Date.parse(again ?? first), asOfKind: 'received' } as const)
      : ({ asOf, asOfKind: 'upstream_event' } as const);
  return { ...reading, value: { venue, ...read, ...time } };
}

function unknownVenue(upstream: string) {
  const fault = createDataFailure('invalid_input', { upstream, detail: 'Unknown venue.' });
  return { ok: false, fault } as const;
}

/** Reads of pages of whole candles. */
export interface PagedCandles {
  readonly venue: string;
  readonly interval: CandleInterval;
  readonly range: TimeRange;
  readonly pages: readonly ReadPage[];
}

/** Reads all pages in order and joins them if their candles are sound. */
export async function readCandlePages(paged: PagedCandles): Promise<CandleReading> {
  const { venue: upstream, interval, range, pages } = paged;
  if (pages.length > CANDLE_PAGES_MAX) {
    const detail = `The range needs more than ${CANDLE_PAGES_MAX} pages of candles.`;
    return { ok: false, fault: createDataFailure('invalid_input', { upstream, detail }) };
  }
  const rows: Candle[] = [];
  const sources: UnnumberedSource[] = [];
  for (const read of pages) {
    const reading = await read();
    if (!reading.ok) return reading;
    rows.push(...reading.value);
    sources.push(reading.source);
  }
  const now = Math.min(...sources.map(({ retrieved_at: at }) => Date.parse(at)));
  const candles = validateCandles(rows, { ...range, interval, now });
  if (candles !== undefined) return { ok: true, candles, sources };
  const detail = 'Candles have impossible prices or times.';
  return { ok: false, fault: createDataFailure('upstream_bad_payload', { upstream, detail }) };
}

/** Creates the reader of an exchange with an adapter of its own. */
function createAdapterReader(
  reader: UpstreamReader,
  venue: AdapterVenue<UpstreamId, UpstreamId>,
): VenueReader {
  return {
    ticker: ({ pair, deadline, signal }) => {
      const path = venue.tickerPath(splitPair(pair));
      return reader.read({ upstream: venue.id, path, deadline, signal }, (answer) =>
        toParsed(checkTicker(venue.ticker(toVenueAnswer(answer))), pair, {
          unknown: `${venue.id} has no price for ${pair}.`,
          malformed: `HTTP ${answer.status} without a valid ticker.`,
        }),
      );
    },
    book: ({ pair, deadline, signal }) => {
      const path = venue.bookPath(splitPair(pair));
      return reader.read({ upstream: venue.bookUpstream, path, deadline, signal }, (answer) =>
        toParsed(checkBook(venue.book(toVenueAnswer(answer))), pair),
      );
    },
    candlePages: ({ pair, deadline, signal, interval, from, to }) =>
      venue
        .candlePaths({ ...splitPair(pair), interval, from, to })
        .map(
          (path) => () =>
            reader.read({ upstream: venue.id, path, deadline, signal }, (answer) =>
              toParsed(venue.candles(toVenueAnswer(answer)), pair),
            ),
        ),
  };
}

function toVenueAnswer({ status, json }: UpstreamAnswer) {
  return { status, body: json() };
}

/** A ticker whose bid is above its ask is malformed. */
function checkTicker(found: ReadTicker | VenueFailure): ReadTicker | VenueFailure {
  if (typeof found !== 'object') return found;
  if (parseDecimal(found.bid) > parseDecimal(found.ask)) return undefined;
  const toPlain = (text: string) => formatDecimal(parseDecimal(text));
  return {
    last: toPlain(found.last),
    bid: toPlain(found.bid),
    ask: toPlain(found.ask),
    volume: toPlain(found.volume),
    asOf: found.asOf,
  };
}

function checkBook(found: ReadBook | VenueFailure): ReadBook | VenueFailure {
  if (typeof found !== 'object') return found;
  const sides = validateSides(found);
  return sides === undefined ? undefined : { ...sides, asOf: found.asOf };
}

/** Converts the result of an adapter to a value or a failure. */
function toParsed<T extends object>(
  found: T | VenueFailure,
  pair: string,
  {
    unknown = `The venue has no pair ${pair}.`,
    malformed = 'The answer has an unexpected form.',
  } = {},
): Parsed<T> {
  if (found === 'unknown_symbol') return { fault: found, why: unknown };
  if (found === 'closed') return { fault: 'market_closed', why: `${pair} does not trade now.` };
  return found === undefined ? { fault: 'upstream_bad_payload', why: malformed } : { value: found };
}
