import { z } from 'zod';
import { isDecimal } from '../../domain/common/decimal.ts';

/** The last price of a ticker. */
export interface Ticker {
  readonly value: string;
  /** Milliseconds; `null` if the venue reports no time. */
  readonly asOf: number | null;
}

/** An exchange and its public ticker. */
export interface Venue {
  readonly id: string;
  /** Its quote currencies. */
  readonly quotes: readonly string[];
  /** Returns path and query of a pair's ticker. */
  path(base: string, quote: string): string;
  /**
   * Parses an answer.
   *
   * @returns `unknown_symbol` when the venue has no such pair, `closed` when it does not trade now,
   *   `undefined` when the answer is malformed.
   */
  read(status: number, body: unknown): Ticker | 'unknown_symbol' | 'closed' | undefined;
}

const Decimal = z.string().refine((text) => isDecimal(text) && Number(text) > 0);

const KrakenTicker = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.object({ c: z.tuple([Decimal], z.string()) })).optional(),
});
const CoinbaseTicker = z.object({ price: Decimal, time: z.iso.datetime() });
const BinanceTicker = z.object({ lastPrice: Decimal, closeTime: z.int() });
const BinanceFault = z.object({ code: z.int(), msg: z.string() });
const BitstampTicker = z.object({ last: Decimal, timestamp: z.string().regex(/^\d{1,12}$/) });

const SHORT_NAMES: Readonly<Record<string, string>> = { BTC: 'XBT', DOGE: 'XDG' };

/**
 * Exchanges with a public ticker that needs no key. Names and formats are theirs. A quote in a
 * stablecoin is not a quote in dollars.
 */
export const PRICE_VENUES: readonly Venue[] = [
  {
    id: 'kraken',
    quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC', 'ETH'],
    path: (base, quote) => `/0/public/Ticker?pair=${toKrakenName(base)}${toKrakenName(quote)}`,
    read: (status, body) => {
      const ticker = KrakenTicker.safeParse(body).data;
      if (status !== 200 || ticker === undefined) return undefined;
      const [fault] = ticker.error;
      if (fault !== undefined) return interpretKrakenError(fault);
      const [row] = Object.values(ticker.result ?? {});
      return row === undefined ? undefined : { value: row.c[0], asOf: null };
    },
  },
  {
    id: 'coinbase',
    quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC'],
    path: (base, quote) => `/products/${base}-${quote}/ticker`,
    read: (status, body) => {
      if (status === 404) return 'unknown_symbol';
      const ticker = CoinbaseTicker.safeParse(body).data;
      if (status !== 200 || ticker === undefined) return undefined;
      return { value: ticker.price, asOf: Date.parse(ticker.time) };
    },
  },
  {
    id: 'binance',
    quotes: ['USDT', 'USDC', 'BTC', 'ETH', 'EUR'],
    path: (base, quote) => `/api/v3/ticker/24hr?symbol=${base}${quote}`,
    read: (status, body) => {
      const fault = BinanceFault.safeParse(body).data;
      if (fault !== undefined) return fault.code === -1121 ? 'unknown_symbol' : undefined;
      const ticker = BinanceTicker.safeParse(body).data;
      if (status !== 200 || ticker === undefined) return undefined;
      return { value: ticker.lastPrice, asOf: ticker.closeTime };
    },
  },
  {
    id: 'bitstamp',
    quotes: ['USD', 'EUR', 'GBP', 'USDT', 'USDC', 'BTC'],
    path: (base, quote) => `/api/v2/ticker/${base}${quote}/`.toLowerCase(),
    read: (status, body) => {
      if (status === 404) return 'unknown_symbol';
      const ticker = BitstampTicker.safeParse(body).data;
      if (status !== 200 || ticker === undefined) return undefined;
      return { value: ticker.last, asOf: Number(ticker.timestamp) * 1_000 };
    },
  },
];

/** Returns Kraken's name of a currency. */
export function toKrakenName(currency: string): string {
  return SHORT_NAMES[currency] ?? currency;
}

/** Interprets an error of Kraken. Returns `undefined` for an unknown one. */
export function interpretKrakenError(fault: string): 'unknown_symbol' | 'closed' | undefined {
  if (fault.includes('Unknown asset pair')) return 'unknown_symbol';
  return fault.startsWith('EService') ? 'closed' : undefined;
}
