import type { SourceFacts } from '../data/source.ts';
import type { TokenParts } from '../spend/usage.ts';

/** One call to be priced. */
export interface TokenBill {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly parts: TokenParts;
  /** Milliseconds: the price of that time. */
  readonly at: number;
}

/** What calls of models cost, from a published table. */
export interface TokenPrices {
  /** Name and version of the table. */
  readonly table: string;
  /** The bytes that the table was read from. */
  source(): Promise<SourceFacts>;
  /** Dollars of one call as a decimal; `undefined` for a model without a known price. */
  price(bill: TokenBill): Promise<string | undefined>;
}
