import type { DataFailure } from '../data/data-failure.ts';
import type { UnnumberedSource } from '../data/source.ts';
import type { SourceReading } from '../data/upstreams.ts';
import type { Candle, CandleInterval, TimeRange } from './candles.ts';
import type { OrderBook } from './order-book.ts';
import type { Quote } from './reference.ts';

/** A market request. */
export interface MarketQuery {
  readonly venue: string;
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** Deadline of the response, in milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request for the candles that start in a time range of whole candles. */
export interface CandleQuery extends MarketQuery, TimeRange {
  readonly interval: CandleInterval;
}

/** Finished candles in order, and all responses that they were read from. */
export type CandleReading =
  | {
      readonly ok: true;
      readonly candles: readonly Candle[];
      readonly sources: readonly UnnumberedSource[];
    }
  | { readonly ok: false; readonly fault: DataFailure };

/**
 * Quotes of exchanges, each with the response that it was read from. Failures of a venue are
 * returned, never thrown.
 */
export interface MarketQuotes {
  quote(order: MarketQuery): Promise<SourceReading<Quote>>;
}

/** Order books of exchanges. Failures of a venue are returned, never thrown. */
export interface MarketBooks {
  book(order: MarketQuery): Promise<SourceReading<OrderBook>>;
}

/**
 * Candles of exchanges. Failures of a venue are returned, never thrown. Missing candles are
 * omitted.
 */
export interface MarketCandles {
  candles(order: CandleQuery): Promise<CandleReading>;
}
