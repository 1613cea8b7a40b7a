import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import type { OwnRate } from './records.ts';
import type { MeteredCall, TokenParts } from './usage.ts';

const MILLION = 1_000_000n;

/** A call with what it costs in dollars; `null` is unknown, never free. */
export interface PricedCall extends MeteredCall {
  readonly cost: string | null;
  readonly pricedBy: 'table' | 'caller' | null;
}

/** Dollars of a call at rates of the caller's own. */
export function ownCost(parts: TokenParts, rate: OwnRate): string {
  const { input, output, cache_read: read = input, cache_write: write = input } = rate;
  const sum =
    BigInt(parts.uncached) * parseDecimal(input) +
    BigInt(parts.cacheRead) * parseDecimal(read) +
    BigInt(parts.cacheWrite) * parseDecimal(write) +
    BigInt(parts.output) * parseDecimal(output);
  return formatDecimal(sum / MILLION);
}

/** The sum of what is known; `null` when nothing is. */
export function sumCosts(calls: readonly PricedCall[]): string | null {
  const known = calls.flatMap(({ cost }) => cost ?? []);
  if (known.length === 0) return null;
  return sumDecimals(known);
}

/** The sum of decimals; 0 for none. */
export function sumDecimals(values: readonly string[]): string {
  return formatDecimal(values.reduce((sum, value) => sum + parseDecimal(value), 0n));
}
