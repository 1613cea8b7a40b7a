import { z } from 'zod';
import { SECOND_MS } from '../../common/time.ts';
import { MARKET_UPSTREAM } from '../../data/upstreams.ts';
import { CANDLE_INTERVALS, type Candle } from '../candles.ts';
import {
  type AdapterVenue,
  DecimalNumber,
  Level,
  splitIntoPages,
  TickerPrice,
  TickerVolume,
} from './venue.ts';

const PAGE_ROWS = 1_000;

const Seconds = z.string().regex(/^\d{1,12}$/);
const Ticker = z.object({
  last: TickerPrice,
  timestamp: Seconds,
  bid: TickerPrice,
  ask: TickerPrice,
  volume: TickerVolume,
});
const Book = z.object({ timestamp: Seconds, bids: z.array(Level), asks: z.array(Level) });
const Row = z
  .object({
    timestamp: Seconds,
    open: DecimalNumber,
    high: DecimalNumber,
    low: DecimalNumber,
    close: DecimalNumber,
    volume: DecimalNumber,
  })
  .transform(({ timestamp, ...row }): Candle => ({ at: Number(timestamp) * SECOND_MS, ...row }));
const Rows = z.object({ data: z.object({ ohlc: z.array(Row) }) });

/** The exchange Bitstamp. */
export const BITSTAMP: AdapterVenue<'bitstamp'> = {
  id: 'bitstamp',
  quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC'],
  isNamedOnly: false,
  takerFeeBps: '40',
  upstream: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://www.bitstamp.net',
    probe: '/api/v2/ticker/btcusd/',
    intervalMs: 200,
    license: 'Bitstamp terms of use',
  },
  marketRank: 3,
  bookUpstream: 'bitstamp',
  tickerPath: ({ base, quote }) => `/api/v2/ticker/${base}${quote}/`.toLowerCase(),
  ticker: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    const ticker = Ticker.safeParse(body).data;
    if (status !== 200 || ticker === undefined) return undefined;
    const { timestamp, ...figures } = ticker;
    return { ...figures, asOf: Number(timestamp) * SECOND_MS };
  },
  bookPath: ({ base, quote }) => `/api/v2/order_book/${base}${quote}/`.toLowerCase(),
  book: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    const book = Book.safeParse(body).data;
    if (book === undefined) return undefined;
    return { bids: book.bids, asks: book.asks, asOf: Number(book.timestamp) * SECOND_MS };
  },
  candlePaths: ({ base, quote, interval, from, to }) => {
    const length = CANDLE_INTERVALS[interval];
    return splitIntoPages({ from, to }, PAGE_ROWS * length).map((page) => {
      const ends = `start=${page.from / SECOND_MS}&end=${(page.to - length) / SECOND_MS}`;
      const step = `step=${length / SECOND_MS}&limit=${PAGE_ROWS}`;
      return `/api/v2/ohlc/${`${base}${quote}`.toLowerCase()}/?${step}&${ends}`;
    });
  },
  candles: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    return Rows.safeParse(body).data?.data.ohlc;
  },
};
