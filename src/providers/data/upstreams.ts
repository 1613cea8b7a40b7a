/** One upstream: where it is, and how often it may be asked. */
export interface Upstream {
  readonly baseUrl: string;
  /** Least milliseconds from one request to the next. */
  readonly intervalMs: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** How long an answer is given again without asking, in milliseconds. */
  readonly keptMs: number;
  /** Whether it answers only those who say how to reach them. */
  readonly needsContact: boolean;
  readonly license: string;
}

const MARKET = { concurrency: 2, keptMs: 2_000, needsContact: false } as const;

/**
 * Every upstream of the data tools. None needs a key. Rates are below what each allows.
 */
export const UPSTREAMS = {
  kraken: {
    ...MARKET,
    baseUrl: 'https://api.kraken.com',
    intervalMs: 1_000,
    license: 'Kraken terms of service',
  },
  coinbase: {
    ...MARKET,
    baseUrl: 'https://api.exchange.coinbase.com',
    intervalMs: 120,
    license: 'Coinbase market data terms',
  },
  binance: {
    ...MARKET,
    baseUrl: 'https://data-api.binance.vision',
    intervalMs: 120,
    license: 'Binance market data terms',
  },
  bitstamp: {
    ...MARKET,
    baseUrl: 'https://www.bitstamp.net',
    intervalMs: 200,
    license: 'Bitstamp terms of use',
  },
} as const satisfies Record<string, Upstream>;

/** Name of an upstream. */
export type UpstreamId = keyof typeof UPSTREAMS;
