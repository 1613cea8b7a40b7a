import { z } from 'zod';
import { MINUTE_MS, SECOND_MS } from '../../common/time.ts';
import { MARKET_UPSTREAM } from '../../data/upstreams.ts';
import { CANDLE_INTERVALS, type Candle } from '../candles.ts';
import {
  type AdapterVenue,
  DecimalNumber,
  Level,
  type MarketPair,
  TickerPrice,
  TickerVolume,
  type VenueFailure,
} from './venue.ts';

const SHORT_NAMES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };

const ErrorBody = z.object({ error: z.array(z.string()).min(1) });
const Tickers = z.object({
  error: z.array(z.string()),
  result: z.record(
    z.string(),
    z.object({
      a: z.tuple([TickerPrice], z.string()),
      b: z.tuple([TickerPrice], z.string()),
      c: z.tuple([TickerPrice], z.string()),
      v: z.tuple([TickerVolume, TickerVolume]),
    }),
  ),
});
const Books = z.object({
  result: z.record(z.string(), z.object({ bids: z.array(Level), asks: z.array(Level) })),
});
const Rows = z.object({ result: z.record(z.string(), z.unknown()) });
const Row = z
  .tuple(
    [
      z.int(),
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
      DecimalNumber,
    ],
    z.unknown(),
  )
  .transform(([seconds, open, high, low, close, , volume]): Candle => {
    return { at: seconds * SECOND_MS, open, high, low, close, volume };
  });

/** Kraken. It returns the last 720 candles and no older ones. Its books have no timestamp. */
export const KRAKEN: AdapterVenue<'kraken'> = {
  id: 'kraken',
  quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC', 'ETH'],
  isNamedOnly: false,
  takerFeeBps: '26',
  upstream: {
    ...MARKET_UPSTREAM,
    baseUrl: 'https://api.kraken.com',
    probe: '/0/public/Ticker?pair=XBTUSD',
    intervalMs: 1_000,
    license: 'Kraken terms of service',
  },
  marketRank: 2,
  bookUpstream: 'kraken',
  tickerPath: (pair) => `/0/public/Ticker?pair=${toMarketName(pair)}`,
  ticker: ({ status, body }) => {
    if (status !== 200) return undefined;
    const refused = findFailure(body);
    if (refused !== null) return refused;
    const [row] = Object.values(Tickers.safeParse(body).data?.result ?? {});
    if (row === undefined) return undefined;
    return { last: row.c[0], bid: row.b[0], ask: row.a[0], volume: row.v[1], asOf: null };
  },
  bookPath: (pair) => `/0/public/Depth?pair=${toMarketName(pair)}&count=100`,
  book: ({ body }) => {
    const refused = findFailure(body);
    if (refused !== null) return refused;
    const [sides] = Object.values(Books.safeParse(body).data?.result ?? {});
    return sides === undefined ? undefined : { ...sides, asOf: null };
  },
  candlePaths: ({ interval, from, ...pair }) => {
    const minutes = CANDLE_INTERVALS[interval] / MINUTE_MS;
    // Candles that start at `since` are excluded.
    const since = from / SECOND_MS - 1;
    return [`/0/public/OHLC?pair=${toMarketName(pair)}&interval=${minutes}&since=${since}`];
  },
  candles: ({ body }) => {
    const refused = findFailure(body);
    if (refused !== null) return refused;
    const { last, ...series } = Rows.safeParse(body).data?.result ?? {};
    const [rows] = Object.values(series);
    return last === undefined ? undefined : z.array(Row).safeParse(rows).data;
  },
};

function toMarketName({ base, quote }: MarketPair): string {
  return [base, quote].map((currency) => SHORT_NAMES[currency] ?? currency).join('');
}

/** Returns the failure of an answer, or `null` if it has none. */
function findFailure(body: unknown): VenueFailure | null {
  const [fault] = ErrorBody.safeParse(body).data?.error ?? [];
  if (fault === undefined) return null;
  if (fault.includes('Unknown asset pair')) return 'unknown_symbol';
  return fault.startsWith('EService') ? 'closed' : undefined;
}
