import type { DataFault } from '../data/fault.ts';
import type { SourceFacts } from '../data/source.ts';
import type { Reading } from '../data/upstreams.ts';
import type { OrderBook } from './book.ts';
import type { Candle, CandleInterval } from './candles.ts';

/** An exchange and its quote currencies. */
export interface MarketPlace {
  readonly id: string;
  readonly quotes: readonly string[];
  /** Whether the exchange is queried only if the caller names it. */
  readonly isNamedOnly?: boolean;
}

/** A market request. */
export interface MarketOrder {
  readonly venue: string;
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** Deadline of the response, in milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request for the candles that start in a time range of whole candles. */
export interface CandleOrder extends MarketOrder {
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
      readonly sources: readonly SourceFacts[];
    }
  | { readonly ok: false; readonly fault: DataFault };

/** Order books of exchanges. Failures of a venue are returned, never thrown. */
export interface MarketBooks {
  readonly venues: readonly MarketPlace[];
  book(order: MarketOrder): Promise<Reading<OrderBook>>;
}

/**
 * Candles of exchanges. Failures of a venue are returned, never thrown. Missing candles are
 * omitted.
 */
export interface MarketCandles {
  readonly venues: readonly MarketPlace[];
  candles(order: CandleOrder): Promise<CandleReading>;
}
