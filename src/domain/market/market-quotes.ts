import type { SourceReading } from '../data/upstreams.ts';
import type { MarketVenue } from './markets.ts';
import type { Quote } from './reference.ts';

/** A quote request. */
export interface QuoteQuery {
  readonly venue: string;
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** Deadline of the response, in milliseconds since 1970. */
  readonly deadline: number;
}

/** Quotes of exchanges, each with the response that it was read from. */
export interface MarketQuotes {
  /** All venues with their quote currencies. */
  readonly venues: readonly MarketVenue[];
  /** Reads one quote. Failures of a venue are returned, never thrown. */
  quote(order: QuoteQuery): Promise<SourceReading<Quote>>;
}
