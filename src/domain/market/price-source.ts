import type { SourceFacts } from '../data/source.ts';

/** A price as a source gave it. */
export interface PricePoint {
  readonly pair: string;
  readonly venue: string;
  /** A decimal in units of the quote. */
  readonly value: string;
  /** Milliseconds: when it was so. */
  readonly asOf: number;
  /** Whether the source said when, or it is when its answer came. */
  readonly asOfKind: 'upstream_event' | 'received';
  /** Who said so: one exchange, or all that went into a median. */
  readonly sources: readonly string[];
  /** What was read of each, where it was read from outside. */
  readonly read?: readonly SourceFacts[];
}

/** What is asked for. */
export interface PriceOrder {
  /** Base and quote, such as `BTC/USD`. */
  readonly pair: string;
  /** An exchange, or `reference` for the median of those that answer. */
  readonly venue: string;
  readonly signal?: AbortSignal;
}

/**
 * Prices of the moment.
 *
 * Throws `INPUT_INVALID` for a pair or venue that there is not, `EGRESS_FAILED` (data.kind
 * `payload` when the answer does not fit the schema, `closed` when the market is), and the other
 * `EGRESS_…` codes when no source answers, with its fault in data.fault.
 */
export interface PriceSource {
  price(order: PriceOrder): Promise<PricePoint>;
}
