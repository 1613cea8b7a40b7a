import { z } from 'zod';
import { SECOND_MS } from '../../common/time.ts';
import { MARKET_UPSTREAM, type Upstream } from '../../data/upstreams.ts';
import { CANDLE_INTERVALS, type Candle } from '../candles.ts';
import {
  type AdapterVenue,
  DecimalNumber,
  splitIntoPages,
  TickerPrice,
  TickerVolume,
} from './venue.ts';

const PAGE_ROWS = 300;

const Ticker = z.object({
  price: TickerPrice,
  time: z.iso.datetime(),
  bid: TickerPrice,
  ask: TickerPrice,
  volume: TickerVolume,
});
const Side = z.array(z.object({ price: DecimalNumber, size: DecimalNumber }));
const Book = z.object({
  pricebook: z.object({ bids: Side, asks: Side, time: z.iso.datetime() }),
});
// Low and high precede open in this API.
const Row = z
  .tuple([z.int(), DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber, DecimalNumber])
  .transform(([seconds, low, high, open, close, volume]): Candle => {
    return { at: seconds * SECOND_MS, open, high, low, close, volume };
  });

/** Coinbase. Books come from its second public API, which limits them to 100 levels. */
export const COINBASE: AdapterVenue<'coinbase', 'coinbasebooks'> = {
  id: 'coinbase',
  quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC'],
  isNamedOnly: false,
  takerFeeBps: '60',
  upstream: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://api.exchange.coinbase.com',
    probe: '/products/BTC-USD/ticker',
    intervalMs: 120,
    license: 'Coinbase market data terms',
  },
  marketRank: 1,
  bookUpstream: 'coinbasebooks',
  tickerPath: ({ base, quote }) => `/products/${base}-${quote}/ticker`,
  ticker: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    const ticker = Ticker.safeParse(body).data;
    if (status !== 200 || ticker === undefined) return undefined;
    const { price, time, ...figures } = ticker;
    return { last: price, ...figures, asOf: Date.parse(time) };
  },
  bookPath: ({ base, quote }) =>
    `/api/v3/brokerage/market/product_book?product_id=${base}-${quote}&limit=100`,
  book: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    const book = Book.safeParse(body).data?.pricebook;
    return book === undefined ? undefined : { ...book, asOf: Date.parse(book.time) };
  },
  candlePaths: ({ base, quote, interval, from, to }) => {
    const length = CANDLE_INTERVALS[interval];
    return splitIntoPages({ from, to }, PAGE_ROWS * length).map((page) => {
      // Both ends are inclusive.
      const ends = [page.from, page.to - length].map((at) => new Date(at).toISOString());
      const query = `granularity=${length / SECOND_MS}&start=${ends[0]}&end=${ends[1]}`;
      return `/products/${base}-${quote}/candles?${query}`;
    });
  },
  candles: ({ status, body }) => {
    if (status === 404) return 'unknown_symbol';
    return z.array(Row).safeParse(body).data;
  },
};

/** The upstream of Coinbase's books. */
export const COINBASE_BOOKS: Upstream = {
  ...MARKET_UPSTREAM,
  baseUrl: 'https://api.coinbase.com',
  probe: '/api/v3/brokerage/market/product_book?product_id=BTC-USD&limit=100',
  intervalMs: 150,
  license: 'Coinbase market data terms',
};
