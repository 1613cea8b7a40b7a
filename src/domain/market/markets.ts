import type { DataFailure } from '../data/data-failure.ts';
import type { UnnumberedSource } from '../data/source.ts';
import type { SourceReading } from '../data/upstreams.ts';
import type { Candle, CandleInterval } from './candles.ts';
import type { OrderBook } from './order-book.ts';

/** An exchange and its quote currencies. */
export interface MarketVenue {
  readonly id: string;
  readonly quotes: readonly string[];
  /** Whether the exchange is queried only if the caller names it. */
  readonly isNamedOnly?: boolean;
}

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
export interface CandleQuery extends MarketQuery {
  readonly interval: CandleInterval;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Milliseconds since 1970, exclusive. */
  readonly to: number;
}

/** Finished candles in order, and all responses that they were read from. */
export type CandleReading =
  | {
      readonly ok: true;
      readonly candles: readonly Candle[];
      readonly sources: readonly UnnumberedSource[];
    }
  | { readonly ok: false; readonly fault: DataFailure };

/** Order books of exchanges. Failures of a venue are returned, never thrown. */
export interface MarketBooks {
  readonly venues: readonly MarketVenue[];
  book(order: MarketQuery): Promise<SourceReading<OrderBook>>;
}

/**
 * Candles of exchanges. Failures of a venue are returned, never thrown. Missing candles are
 * omitted.
 */
export interface MarketCandles {
  readonly venues: readonly MarketVenue[];
  candles(order: CandleQuery): Promise<CandleReading>;
}
