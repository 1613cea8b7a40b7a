import { z } from 'zod';
import { SECOND_MS } from '../../domain/common/time.ts';
import { CANDLE_INTERVALS, type Candle } from '../../domain/market/candles.ts';
import { DecimalNumber, Level, type MarketVenue, splitIntoPages } from './market-venue.ts';

const PAGE_ROWS = 1_000;

const Seconds = z.string().regex(/^\d{1,12}$/);
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
export const BITSTAMP: MarketVenue = {
  id: 'bitstamp',
  quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC'],
  bookUpstream: 'bitstamp',
  candleUpstream: 'bitstamp',
  bookPath: ({ base, quote }) => `/api/v2/order_book/${base}${quote}/`.toLowerCase(),
  candlePaths: ({ base, quote, interval, from, to }) => {
    const length = CANDLE_INTERVALS[interval];
    return splitIntoPages({ from, to }, PAGE_ROWS * length).map((page) => {
      const ends = `start=${page.from / SECOND_MS}&end=${(page.to - length) / SECOND_MS}`;
      const step = `step=${length / SECOND_MS}&limit=${PAGE_ROWS}`;
      return `/api/v2/ohlc/${`${base}${quote}`.toLowerCase()}/?${step}&${ends}`;
    });
  },
  book: (answer) => {
    if (answer.status === 404) return 'unknown_symbol';
    const book = Book.safeParse(answer.json()).data;
    if (book === undefined) return undefined;
    return { bids: book.bids, asks: book.asks, asOf: Number(book.timestamp) * SECOND_MS };
  },
  candles: (answer) => {
    if (answer.status === 404) return 'unknown_symbol';
    return Rows.safeParse(answer.json()).data?.data.ohlc;
  },
};
