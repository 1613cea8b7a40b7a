import type { UnnumberedSource } from '../data/source.ts';
import type { TokenParts } from '../spend/usage.ts';

/** A model call to price. */
export interface PricedUsage {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly parts: TokenParts;
  /** Milliseconds since 1970. Selects the price at that time. */
  readonly at: number;
}

/** Prices of model calls from a published table. */
export interface TokenPrices {
  /** Name and version of the table. */
  readonly table: string;
  /** Returns the facts of the source of the table. */
  sourceFacts(): Promise<UnnumberedSource>;
  /**
   * Returns the cost of one call in dollars as a decimal; `undefined` if the model has no known
   * price.
   */
  price(bill: PricedUsage): Promise<string | undefined>;
}
