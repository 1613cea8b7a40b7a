import type { UnnumberedSource } from '../data/source.ts';

/** A price with its source. */
export interface PricePoint {
  readonly pair: string;
  readonly venue: string;
  /** A decimal in units of the quote. */
  readonly value: string;
  /** Time of the price, in milliseconds since 1970. */
  readonly asOf: number;
  /** Whether the source reported the time, or the time is that of the response. */
  readonly asOfKind: 'upstream_event' | 'received';
  /** The exchange, or all exchanges that contributed to a median. */
  readonly sources: readonly string[];
  /** External sources that were read. */
  readonly read?: readonly UnnumberedSource[];
}

/** A price request. */
export interface PriceQuery {
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** An exchange, or `reference` for the median of those that respond. */
  readonly venue: string;
  readonly signal?: AbortSignal;
}

/**
 * Current prices.
 *
 * Throws `INPUT_INVALID` for an unknown pair or venue. Throws `EGRESS_FAILED` with data.kind
 * `payload` if the response does not match the schema, or `closed` if the market is closed. Throws
 * other `EGRESS_…` codes if no source responds, with the failure in data.fault.
 */
export interface PriceSource {
  price(order: PriceQuery): Promise<PricePoint>;
}
