import { MARKET_UPSTREAM } from '../../data/upstreams.ts';
import type { CcxtVenue, MarketPair } from './venue.ts';

const dashedId = ({ base, quote }: MarketPair) => `${base}-${quote}`;
const underscoredId = ({ base, quote }: MarketPair) => `${base}_${quote}`;
const joinedId = ({ base, quote }: MarketPair) => `${base}${quote}`;

const VENUES = [
  {
    id: 'okx',
    quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'],
    isNamedOnly: true,
    takerFeeBps: '15',
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://www.okx.com',
      probe: '/api/v5/market/ticker?instId=BTC-USDT',
      intervalMs: 150,
      license: 'OKX API agreement',
    },
    marketId: dashedId,
    bookLevels: 100,
    candlesMax: 300,
  },
  {
    id: 'bybit',
    quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'],
    isNamedOnly: true,
    // No taker fee: its row in the fee table applies to derivatives.
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://api.bybit.com',
      probe: '/v5/market/tickers?symbol=BTCUSDT&category=spot',
      intervalMs: 120,
      license: 'Bybit API terms',
    },
    marketId: joinedId,
    bookLevels: 100,
    candlesMax: 1_000,
    // Without an end time it returns the newest candles.
    candleParams: ({ to }) => ({ until: to - 1 }),
  },
  {
    id: 'kucoin',
    quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'],
    isNamedOnly: true,
    takerFeeBps: '10',
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://api.kucoin.com',
      probe: '/api/v1/market/stats?symbol=BTC-USDT',
      intervalMs: 200,
      license: 'KuCoin API terms',
    },
    marketId: dashedId,
    bookLevels: 100,
    candlesMax: 1_500,
  },
  {
    id: 'gate',
    quotes: ['USDT', 'USDC', 'BTC', 'ETH'],
    isNamedOnly: true,
    takerFeeBps: '20',
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://api.gateio.ws',
      probe: '/api/v4/spot/tickers?currency_pair=BTC_USDT',
      intervalMs: 120,
      license: 'Gate API terms',
    },
    marketId: underscoredId,
    bookLevels: 100,
    candlesMax: 1_000,
  },
  {
    id: 'mexc',
    quotes: ['USDT', 'USDC', 'BTC', 'ETH'],
    isNamedOnly: true,
    takerFeeBps: '20',
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://api.mexc.com',
      probe: '/api/v3/ticker/24hr?symbol=BTCUSDT',
      intervalMs: 150,
      license: 'MEXC API terms',
    },
    marketId: joinedId,
    bookLevels: 100,
    candlesMax: 500,
  },
  {
    id: 'cryptocom',
    quotes: ['USD', 'USDT'],
    isNamedOnly: true,
    takerFeeBps: '50',
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://api.crypto.com',
      probe: '/exchange/v1/public/get-tickers?instrument_name=BTC_USDT',
      intervalMs: 120,
      license: 'Crypto.com Exchange API terms',
    },
    marketId: underscoredId,
    bookLevels: 50,
    candlesMax: 300,
    // The request of `ccxt` starts one candle early, so the newest 300 would miss the first.
    candleParams: ({ from, to }) => ({ start_ts: from - 1, end_ts: to, count: 300 }),
  },
  {
    id: 'gemini',
    quotes: ['USD', 'EUR', 'GBP', 'USDT', 'BTC', 'ETH'],
    isNamedOnly: true,
    takerFeeBps: '40',
    upstream: {
      ...MARKET_UPSTREAM,
      baseUrl: 'https://api.gemini.com',
      probe: '/v1/pubticker/btcusd',
      intervalMs: 1_000,
      license: 'Gemini API agreement',
    },
    marketId: (pair) => joinedId(pair).toLowerCase(),
    bookLevels: 100,
    // Its ticker has the end of the volume's day, in steps of 5 minutes.
    hasOtherTime: true,
  },
] as const satisfies readonly CcxtVenue[];

/** The name of an exchange that is read through `ccxt`: also that of its module there. */
export type CcxtVenueId = (typeof VENUES)[number]['id'];

/**
 * Exchanges that are read through `ccxt`, only if the caller names them. Each has tickers, books
 * and candles without a key.
 */
export const CCXT_VENUES: readonly CcxtVenue<CcxtVenueId>[] = VENUES;
