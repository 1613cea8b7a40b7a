import { z } from 'zod';
import { CANDLE_INTERVALS, type Candle } from '../../domain/market/candles.ts';
import { DecimalNumber, Level, type MarketVenue, splitIntoPages } from './market-venue.ts';

const PAGE_ROWS = 1_000;
const UNKNOWN_SYMBOL = -1121;

const ErrorBody = z.object({ code: z.int(), msg: z.string() });
const Book = z.object({ lastUpdateId: z.number(), bids: z.array(Level), asks: z.array(Level) });
const Row = z
  .tuple(
    [z.int(), DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber],
    z.unknown(),
  )
  .transform(
    ([at, open, high, low, close, volume]): Candle => ({ at, open, high, low, close, volume }),
  );

/** Binance, at its public data API. Its books have no timestamp. */
export const BINANCE: MarketVenue = {
  id: 'binance',
  quotes: ['USDT', 'USDC', 'BTC', 'ETH', 'EUR'],
  bookUpstream: 'binance',
  candleUpstream: 'binance',
  bookPath: ({ base, quote }) => `/api/v3/depth?symbol=${base}${quote}&limit=100`,
  candlePaths: ({ base, quote, interval, from, to }) =>
    splitIntoPages({ from, to }, PAGE_ROWS * CANDLE_INTERVALS[interval]).map((page) => {
      const ends = `startTime=${page.from}&endTime=${page.to - 1}`;
      const market = `symbol=${base}${quote}&interval=${interval}`;
      return `/api/v3/klines?${market}&${ends}&limit=${PAGE_ROWS}`;
    }),
  book: (answer) => {
    const fault = ErrorBody.safeParse(answer.json()).data;
    if (fault !== undefined) return toUnknownSymbol(fault.code);
    const book = Book.safeParse(answer.json()).data;
    return book === undefined ? undefined : { bids: book.bids, asks: book.asks, asOf: null };
  },
  candles: (answer) => {
    const fault = ErrorBody.safeParse(answer.json()).data;
    if (fault !== undefined) return toUnknownSymbol(fault.code);
    return z.array(Row).safeParse(answer.json()).data;
  },
};

function toUnknownSymbol(code: number): 'unknown_symbol' | undefined {
  return code === UNKNOWN_SYMBOL ? 'unknown_symbol' : undefined;
}
