import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import type { CustomRate } from './records.ts';
import type { MeteredCall, TokenParts } from './usage.ts';

const MILLION = 1_000_000n;

/** A call with its cost in dollars; `null` is unknown, never free. */
export interface PricedCall extends MeteredCall {
  readonly cost: string | null;
  readonly pricedBy: 'table' | 'caller' | null;
}

/** Returns the cost of a call in dollars at a rate given by the caller. */
export function computeOwnCost(parts: TokenParts, rate: CustomRate): string {
  const { input, output, cache_read: read = input, cache_write: write = input } = rate;
  const sum =
    BigInt(parts.uncached) * parseDecimal(input) +
    BigInt(parts.cacheRead) * parseDecimal(read) +
    BigInt(parts.cacheWrite) * parseDecimal(write) +
    BigInt(parts.output) * parseDecimal(output);
  return formatDecimal(sum / MILLION);
}

/** Returns the sum of known costs; `null` if none is known. */
export function sumCosts(calls: readonly PricedCall[]): string | null {
  const knownCosts = calls.flatMap(({ cost }) => cost ?? []);
  if (knownCosts.length === 0) return null;
  return sumDecimals(knownCosts);
}

/** Returns the sum of decimals; 0 for none. */
export function sumDecimals(values: readonly string[]): string {
  return formatDecimal(values.reduce((sum, value) => sum + parseDecimal(value), 0n));
}
