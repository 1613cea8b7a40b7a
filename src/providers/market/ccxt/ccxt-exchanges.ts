import type { FurtherExchange } from '../../../domain/market/exchanges.ts';
import type { MarketPair } from '../market-venue.ts';

/** A stretch of whole candles that one answer holds; times in milliseconds, `to` left out. */
export interface CandlePage {
  readonly from: number;
  readonly to: number;
}

/** What `ccxt` does not tell of an exchange before all of its markets are loaded. */
export interface CcxtExchange {
  /** Name of its module in `ccxt`, and of the upstream. */
  readonly id: FurtherExchange;
  /** Currencies that it quotes in. */
  readonly quotes: readonly string[];
  /** How it names a pair. */
  marketId(pair: MarketPair): string;
  /** Levels of a side that are asked for. */
  readonly levels: number;
  /** Candles of one answer at the most; without one there is a single answer, with the newest. */
  readonly candles?: number;
  /** Parts of a request for candles in place of those that `ccxt` makes. */
  candleParams?(page: CandlePage): Readonly<Record<string, number>>;
  /** Whether the time in its ticker is another than that of the price. */
  readonly hasOtherTime?: boolean;
}

const dashed = ({ base, quote }: MarketPair) => `${base}-${quote}`;
const lined = ({ base, quote }: MarketPair) => `${base}_${quote}`;
const joined = ({ base, quote }: MarketPair) => `${base}${quote}`;

/** Exchanges that are read through `ccxt`: each has ticker, book and candles without a key. */
export const CCXT_EXCHANGES: readonly CcxtExchange[] = [
  {
    ...{ id: 'okx', quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'], marketId: dashed },
    ...{ levels: 100, candles: 300 },
  },
  {
    ...{ id: 'bybit', quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'], marketId: joined },
    ...{ levels: 100, candles: 1_000 },
    // Without an end it answers with the newest.
    candleParams: ({ to }) => ({ until: to - 1 }),
  },
  {
    ...{ id: 'kucoin', quotes: ['USDT', 'USDC', 'EUR', 'BTC', 'ETH'], marketId: dashed },
    ...{ levels: 100, candles: 1_500 },
  },
  {
    ...{ id: 'gate', quotes: ['USDT', 'USDC', 'BTC', 'ETH'], marketId: lined },
    ...{ levels: 100, candles: 1_000 },
  },
  {
    ...{ id: 'mexc', quotes: ['USDT', 'USDC', 'BTC', 'ETH'], marketId: joined },
    ...{ levels: 100, candles: 500 },
  },
  {
    ...{ id: 'cryptocom', quotes: ['USD', 'USDT'], marketId: lined },
    ...{ levels: 50, candles: 300 },
    // What `ccxt` asks for begins one candle early, and the newest 300 would leave out the first.
    candleParams: ({ from, to }) => ({ start_ts: from - 1, end_ts: to, count: 300 }),
  },
  {
    ...{ id: 'gemini', quotes: ['USD', 'EUR', 'GBP', 'USDT', 'BTC', 'ETH'], levels: 100 },
    marketId: (pair) => joined(pair).toLowerCase(),
    // Its ticker has the end of the day that the volume is of, in steps of five minutes.
    hasOtherTime: true,
  },
];
