import { z } from 'zod';
import { isDecimal } from '../common/decimal.ts';
import { AppError } from '../common/error.ts';
import { SECOND_MS, toIsoTime } from '../common/time.ts';
import { Instant } from './source.ts';

/** Basis of a value's time: the upstream's timestamp, or when the response was received. */
export const AsOfKind = z.enum(['upstream_event', 'upstream_publish', 'received']);
/** One of the {@link AsOfKind} values. */
export type AsOfKind = z.infer<typeof AsOfKind>;

/** A decimal as text: no exponent, at most 30 digits and 18 decimal places. */
export const DecimalText = z
  .string()
  .refine(isDecimal, { error: 'must be a plain decimal', abort: true });

/** A value with its unit, time and sources. */
export const DataValue = z.object({
  value: DecimalText,
  unit: z.string().min(1),
  as_of: Instant.describe('Time of the value: that of its oldest input.'),
  as_of_kind: AsOfKind,
  valid_until: Instant.describe('The value is stale from this time on.'),
  age_s: z.number().nonnegative(),
  stale: z.boolean(),
  sources: z.array(z.string()).min(1).describe('Ids of the sources of the value.'),
});
/** A parsed {@link DataValue}. */
export type DataValue = z.infer<typeof DataValue>;

/** Input of {@link createDataValue}. Times are in milliseconds. */
export interface DataValueInput {
  readonly value: string;
  readonly unit: string;
  readonly asOf: number;
  readonly asOfKind: AsOfKind;
  readonly maxAgeMs: number;
  readonly now: number;
  readonly sources: readonly string[];
}

/**
 * Creates a value.
 *
 * @throws {AppError} `INVARIANT` if the value is not a decimal or has no source.
 */
export function createDataValue(facts: DataValueInput): DataValue {
  const { value, unit, asOf, asOfKind, maxAgeMs, now, sources } = facts;
  if (!isDecimal(value) || sources.length === 0) {
    throw new AppError('INVARIANT', { message: 'a value is a decimal that has a source' });
  }
  const ageMs = Math.max(0, now - asOf);
  return {
    value,
    unit,
    as_of: toIsoTime(asOf),
    as_of_kind: asOfKind,
    valid_until: toIsoTime(asOf + maxAgeMs),
    age_s: ageMs / SECOND_MS,
    stale: ageMs > maxAgeMs,
    sources: [...new Set(sources)],
  };
}
