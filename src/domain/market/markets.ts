import type { DataFault } from '../data/fault.ts';
import type { SourceFacts } from '../data/source.ts';
import type { Reading } from '../data/upstreams.ts';
import type { OrderBook } from './book.ts';
import type { Candle, CandleInterval } from './candles.ts';

/** An exchange, with the currencies that it quotes in. */
export interface MarketPlace {
  readonly id: string;
  readonly quotes: readonly string[];
  /** Whether it is asked only where a caller names it. */
  readonly isNamedOnly?: boolean;
}

/** Which market is asked for. */
export interface MarketOrder {
  readonly venue: string;
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** Milliseconds at which the answer must be there. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/** Which candles are asked for: those that begin in a stretch of whole candles. */
export interface CandleOrder extends MarketOrder {
  readonly interval: CandleInterval;
  /** Milliseconds. */
  readonly from: number;
  /** Milliseconds, itself left out. */
  readonly to: number;
}

/** Candles in order, without the unfinished one, and every answer that they were read from. */
export type CandleReading =
  | {
      readonly ok: true;
      readonly candles: readonly Candle[];
      readonly sources: readonly SourceFacts[];
    }
  | { readonly ok: false; readonly fault: DataFault };

/** Order books of exchanges. Never throws for what a venue does. */
export interface MarketBooks {
  readonly venues: readonly MarketPlace[];
  book(order: MarketOrder): Promise<Reading<OrderBook>>;
}

/** Candles of exchanges. Never throws for what a venue does; missing ones are just not there. */
export interface MarketCandles {
  readonly venues: readonly MarketPlace[];
  candles(order: CandleOrder): Promise<CandleReading>;
}
