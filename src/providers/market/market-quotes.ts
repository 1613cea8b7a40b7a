import { z } from 'zod';
import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import { DecimalText } from '../../domain/data/value.ts';
import type { MarketQuotes, QuoteQuery } from '../../domain/market/market-quotes.ts';
import type { Quote } from '../../domain/market/reference.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';
import { createVenueReader, resolveTime, splitPair } from './market-reading.ts';
import { PRICE_VENUES, type Venue } from './venues.ts';

type TickerNumbers = Pick<Quote, 'bid' | 'ask' | 'volume'>;

const Price = DecimalText.refine((text) => Number(text) > 0);
const Volume = DecimalText.refine((text) => Number(text) >= 0);
const KrakenTicker = z.object({
  result: z.record(
    z.string(),
    z.object({
      a: z.tuple([Price], z.string()),
      b: z.tuple([Price], z.string()),
      v: z.tuple([Volume, Volume]),
    }),
  ),
});
const PlainTicker = z.object({ bid: Price, ask: Price, volume: Volume });
const BinanceTicker = z.object({ bidPrice: Price, askPrice: Price, volume: Volume });

/** Parses bid, ask and 24-hour volume from a venue's ticker, or returns `undefined`. */
const TICKER_PARSERS: Readonly<Record<string, (body: unknown) => TickerNumbers | undefined>> = {
  kraken: (body) => {
    const [row] = Object.values(KrakenTicker.safeParse(body).data?.result ?? {});
    return row === undefined ? undefined : { bid: row.b[0], ask: row.a[0], volume: row.v[1] };
  },
  coinbase: (body) => PlainTicker.safeParse(body).data,
  bitstamp: (body) => PlainTicker.safeParse(body).data,
  binance: (body) => {
    const row = BinanceTicker.safeParse(body).data;
    if (row === undefined) return undefined;
    return { bid: row.bidPrice, ask: row.askPrice, volume: row.volume };
  },
};

/** Creates the reader of quotes from public exchange tickers. */
export function createMarketQuotes(reader: UpstreamReader): MarketQuotes {
  return {
    venues: PRICE_VENUES.map(({ id, quotes }) => ({ id, quotes })),
    quote: createVenueReader(PRICE_VENUES)(async (venue, { pair, deadline }: QuoteQuery) => {
      const { base, quote } = splitPair(pair);
      const upstream = venue.id as UpstreamId;
      const request = { upstream, path: venue.path(base, quote), deadline };
      const reading = await reader.read(request, (answer) => parseTicker(venue, answer, pair));
      if (!reading.ok) return reading;
      const { asOf, ...figures } = reading.value;
      return { ...reading, value: { ...figures, ...resolveTime(asOf, reading.source) } };
    }),
  };
}

type ParsedQuote = Omit<Quote, 'asOf' | 'asOfKind'> & { readonly asOf: number | null };

function parseTicker(venue: Venue, answer: UpstreamAnswer, pair: string): Parsed<ParsedQuote> {
  const body = answer.json();
  const ticker = venue.read(answer.status, body);
  if (ticker === 'unknown_symbol') {
    return { fault: 'unknown_symbol', why: `${venue.id} has no price for ${pair}.` };
  }
  if (ticker === 'closed') return { fault: 'market_closed', why: `${pair} does not trade now.` };
  const figures = TICKER_PARSERS[venue.id]?.(body);
  const isSound = figures !== undefined && parseDecimal(figures.bid) <= parseDecimal(figures.ask);
  if (ticker === undefined || figures === undefined || !isSound) {
    return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without a valid ticker.` };
  }
  const plain = (text: string) => formatDecimal(parseDecimal(text));
  const { bid, ask, volume } = figures;
  return {
    value: {
      venue: venue.id,
      last: plain(ticker.value),
      bid: plain(bid),
      ask: plain(ask),
      volume: plain(volume),
      asOf: ticker.asOf,
    },
  };
}
