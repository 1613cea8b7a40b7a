import type { OptionalExchange } from '../../../domain/market/exchanges.ts';
import type { MarketPair } from '../market-venue.ts';

/** A range of whole candles that fits into one answer. Times in milliseconds, `to` exclusive. */
export interface CandlePage {
  readonly from: number;
  readonly to: number;
}

/** The properties of an exchange that `ccxt` only knows after loading all markets. */
export interface CcxtExchange {
  /** Name of its module in `ccxt` and of the upstream. */
  readonly id: OptionalExchange;
  /** Its quote currencies. */
  readonly quotes: readonly string[];
  marketId(pair: MarketPair): string;
  /** Requested levels per side of a book. */
  readonly levels: number;
  /** Most candles per answer. If absent, a single answer contains the newest. */
  readonly candles?: number;
  /** Returns parameters that replace those of `ccxt` in a request for candles. */
  candleParams?(page: CandlePage): Readonly<Record<string, number>>;
  /** Whether the time in its ticker is not that of the price. */
  readonly hasOtherTime?: boolean;
}

const dashedId = ({ base, quote }: MarketPair) => `${base}-${quote}`;
const underscoredId = ({ base, quote }: MarketPair) => `${base}_${quote}`;
const joinedId = ({ base, quote }: MarketPair) => `${base}${quote}`;

/** Exchanges that are read through `ccxt`. Each has tickers, books and candles without a key. */
export const CCXT_EXCHANGES: readonly CcxtExchange[] = [
  {
    id: 'okx',
    quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'],
    marketId: dashedId,
    levels: 100,
    candles: 300,
  },
  {
    id: 'bybit',
    quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'],
    marketId: joinedId,
    levels: 100,
    candles: 1_000,
    // Without an end time it returns the newest candles.
    candleParams: ({ to }) => ({ until: to - 1 }),
  },
  {
    id: 'kucoin',
    quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'],
    marketId: dashedId,
    levels: 100,
    candles: 1_500,
  },
  {
    id: 'gate',
    quotes: ['USDT', 'USDC', 'BTC', 'ETH'],
    marketId: underscoredId,
    levels: 100,
    candles: 1_000,
  },
  {
    id: 'mexc',
    quotes: ['USDT', 'USDC', 'BTC', 'ETH'],
    marketId: joinedId,
    levels: 100,
    candles: 500,
  },
  {
    id: 'cryptocom',
    quotes: ['USD', 'USDT'],
    marketId: underscoredId,
    levels: 50,
    candles: 300,
    // The request of `ccxt` starts one candle early, so the newest 300 would miss the first.
    candleParams: ({ from, to }) => ({ start_ts: from - 1, end_ts: to, count: 300 }),
  },
  {
    id: 'gemini',
    quotes: ['USD', 'EUR', 'GBP', 'USDT', 'BTC', 'ETH'],
    levels: 100,
    marketId: (pair) => joinedId(pair).toLowerCase(),
    // Its ticker has the end of the volume's day, in steps of 5 minutes.
    hasOtherTime: true,
  },
];
