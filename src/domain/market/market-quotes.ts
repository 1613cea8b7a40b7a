import type { Reading } from '../data/upstreams.ts';
import type { MarketPlace } from './markets.ts';
import type { Quote } from './reference.ts';

/** Which quote is asked for. */
export interface QuoteOrder {
  readonly venue: string;
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** Milliseconds at which the answer must be there. */
  readonly deadline: number;
}

/** Quotes of exchanges, each with the bytes that it was read from. */
export interface MarketQuotes {
  /** Every venue, with the currencies that it quotes in. */
  readonly venues: readonly MarketPlace[];
  /** Reads one quote. Never throws for what a venue does. */
  quote(order: QuoteOrder): Promise<Reading<Quote>>;
}
