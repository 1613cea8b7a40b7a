import { z } from 'zod';
import { SECOND_MS } from '../../domain/common/time.ts';
import { CANDLE_INTERVALS, type Candle } from '../../domain/market/candles.ts';
import { DecimalNumber, type MarketVenue, splitIntoPages } from './market-venue.ts';

const PAGE_ROWS = 300;

const Side = z.array(z.object({ price: DecimalNumber, size: DecimalNumber }));
const Book = z.object({
  pricebook: z.object({ bids: Side, asks: Side, time: z.iso.datetime() }),
});
// Low and high precede open in this API.
const Row = z
  .tuple([z.int(), DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber])
  .transform(
    ([seconds, low, high, open, close, volume]): Candle => ({
      at: seconds * SECOND_MS,
      open,
      high,
      low,
      close,
      volume,
    }),
  );

/** Coinbase. Books come from its second public API, which limits them to 100 levels. */
export const COINBASE: MarketVenue = {
  id: 'coinbase',
  quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC'],
  bookUpstream: 'coinbasebooks',
  candleUpstream: 'coinbase',
  bookPath: ({ base, quote }) =>
    `/api/v3/brokerage/market/product_book?product_id=${base}-${quote}&limit=100`,
  candlePaths: ({ base, quote, interval, from, to }) => {
    const length = CANDLE_INTERVALS[interval];
    return splitIntoPages({ from, to }, PAGE_ROWS * length).map((page) => {
      // Both ends are inclusive.
      const ends = [page.from, page.to - length].map((at) => new Date(at).toISOString());
      const query = `granularity=${length / SECOND_MS}&start=${ends[0]}&end=${ends[1]}`;
      return `/products/${base}-${quote}/candles?${query}`;
    });
  },
  book: (answer) => {
    if (answer.status === 404) return 'unknown_symbol';
    const book = Book.safeParse(answer.json()).data?.pricebook;
    return book === undefined ? undefined : { ...book, asOf: Date.parse(book.time) };
  },
  candles: (answer) => {
    if (answer.status === 404) return 'unknown_symbol';
    return z.array(Row).safeParse(answer.json()).data;
  },
};
