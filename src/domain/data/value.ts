import { z } from 'zod';
import { isDecimal } from '../common/decimal.ts';
import { AppError } from '../common/error.ts';
import { SECOND_MS } from '../common/time.ts';
import { Instant } from './source.ts';

/** What a time of validity stands on: the upstream's word, or when its answer came. */
export const AsOfKind = z.enum(['upstream_event', 'upstream_publish', 'received']);
/** See {@link AsOfKind}. */
export type AsOfKind = z.infer<typeof AsOfKind>;

/** A decimal as text: no exponent, at most 30 digits and 18 places. */
export const DecimalText = z.string().refine(isDecimal, { error: 'a plain decimal', abort: true });

/** A figure with its unit, its time, and the sources that it comes from. */
export const DataValue = z.object({
  value: DecimalText,
  unit: z.string().min(1),
  as_of: Instant.describe('When it was so: the oldest of its parts.'),
  as_of_kind: AsOfKind,
  valid_until: Instant.describe('From then on it counts as stale.'),
  age_s: z.number().nonnegative(),
  stale: z.boolean(),
  sources: z.array(z.string()).min(1).describe('Ids of the sources that it was made from.'),
});
/** See {@link DataValue}. */
export type DataValue = z.infer<typeof DataValue>;

/** What a value is made from. Times are in milliseconds. */
export interface ValueFacts {
  readonly value: string;
  readonly unit: string;
  readonly asOf: number;
  readonly asOfKind: AsOfKind;
  readonly maxAgeMs: number;
  readonly now: number;
  readonly sources: readonly string[];
}

/**
 * Makes a value.
 *
 * @throws {AppError} `INVARIANT` for a figure that is no decimal, or has no source.
 */
export function dataValue(facts: ValueFacts): DataValue {
  const { value, unit, asOf, asOfKind, maxAgeMs, now, sources } = facts;
  if (!isDecimal(value) || sources.length === 0) {
    throw new AppError('INVARIANT', { message: 'a value is a decimal that has a source' });
  }
  const ageMs = Math.max(0, now - asOf);
  return {
    value,
    unit,
    as_of: instantText(asOf),
    as_of_kind: asOfKind,
    valid_until: instantText(asOf + maxAgeMs),
    age_s: ageMs / SECOND_MS,
    stale: ageMs > maxAgeMs,
    sources: [...new Set(sources)],
  };
}

/** Milliseconds as RFC 3339. */
export function instantText(ms: number): string {
  return new Date(ms).toISOString();
}
