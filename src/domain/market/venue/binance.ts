import { z } from 'zod';
import { MARKET_UPSTREAM } from '../../data/upstreams.ts';
import { CANDLE_INTERVALS, type Candle } from '../candles.ts';
import {
  type AdapterVenue,
  DecimalNumber,
  Level,
  splitIntoPages,
  TickerPrice,
  TickerVolume,
  type VenueFailure,
} from './venue.ts';

const PAGE_ROWS = 1_000;
const UNKNOWN_SYMBOL = -1121;

const ErrorBody = z.object({ code: z.int(), msg: z.string() });
const Ticker = z.object({
  lastPrice: TickerPrice,
  closeTime: z.int(),
  bidPrice: TickerPrice,
  askPrice: TickerPrice,
  volume: TickerVolume,
});
const Book = z.object({ lastUpdateId: z.number(), bids: z.array(Level), asks: z.array(Level) });
const Row = z
  .tuple(
    [z.int(), DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber],
    z.unknown(),
  )
  .transform(([at, open, high, low, close, volume]): Candle => {
    return { at, open, high, low, close, volume };
  });

/** Binance, at its public data API. Its books have no timestamp. */
export const BINANCE: AdapterVenue<'binance'> = {
  id: 'binance',
  quotes: ['USDT', 'USDC', 'BTC', 'ETH', 'EUR'],
  isNamedOnly: false,
  takerFeeBps: '10',
  upstream: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://data-api.binance.vision',
    probe: '/api/v3/ticker/24hr?symbol=BTCUSDT',
    intervalMs: 120,
    license: 'Binance market data terms',
  },
  marketRank: 4,
  bookUpstream: 'binance',
  tickerPath: ({ base, quote }) => `/api/v3/ticker/24hr?symbol=${base}${quote}`,
  ticker: ({ status, body }) => {
    const refused = findFailure(body);
    if (refused !== null) return refused;
    const ticker = Ticker.safeParse(body).data;
    if (status !== 200 || ticker === undefined) return undefined;
    const { lastPrice: last, bidPrice: bid, askPrice: ask, volume, closeTime: asOf } = ticker;
    return { last, bid, ask, volume, asOf };
  },
  bookPath: ({ base, quote }) => `/api/v3/depth?symbol=${base}${quote}&limit=100`,
  book: ({ body }) => {
    const refused = findFailure(body);
    if (refused !== null) return refused;
    const book = Book.safeParse(body).data;
    return book === undefined ? undefined : { bids: book.bids, asks: book.asks, asOf: null };
  },
  candlePaths: ({ base, quote, interval, from, to }) =>
    splitIntoPages({ from, to }, PAGE_ROWS * CANDLE_INTERVALS[interval]).map((page) => {
      const ends = `startTime=${page.from}&endTime=${page.to - 1}`;
      const market = `symbol=${base}${quote}&interval=${interval}`;
      return `/api/v3/klines?${market}&${ends}&limit=${PAGE_ROWS}`;
    }),
  candles: ({ body }) => {
    const refused = findFailure(body);
    return refused === null ? z.array(Row).safeParse(body).data : refused;
  },
};

/** Returns the failure of an answer, or `null` if it has none. */
function findFailure(body: unknown): VenueFailure | null {
  const fault = ErrorBody.safeParse(body).data;
  if (fault === undefined) return null;
  return fault.code === UNKNOWN_SYMBOL ? 'unknown_symbol' : undefined;
}
