import { AppError } from '../../common/error.ts';
import { DAY_MS } from '../../common/time.ts';
import { formatInstant, parseInstant } from '../instant.ts';

/** Nanoseconds of a millisecond and of a day. */
export const MILLI_NANOS = 1_000_000;
/** See {@link MILLI_NANOS}. */
export const DAY_NANOS = DAY_MS * MILLI_NANOS;

/** A point in time to the nanosecond; a single number would not hold it exactly. */
export interface LogMoment {
  /** Days since 1970. */
  readonly day: number;
  /** Nanoseconds of the day, from 0 up to {@link DAY_NANOS}, which is the next day's begin. */
  readonly nano: number;
}

const DAY_NANOS_EXACT = BigInt(DAY_NANOS);

/**
 * Reads a time of RFC 3339 with up to nine digits of a second.
 *
 * @param name - Of the parameter, for the error.
 * @throws {AppError} `INPUT_INVALID`
 */
export function parseLogMoment(text: string, name: string): LogMoment {
  const nanos = parseInstant(text);
  if (nanos === undefined) {
    throw new AppError('INPUT_INVALID', {
      message: `${name} is "${text.slice(0, 64)}"; it must be RFC 3339, 2026-11-22T08:30:00Z`,
      data: { parameter: name, received: text.slice(0, 64) },
    });
  }
  const nano = ((nanos % DAY_NANOS_EXACT) + DAY_NANOS_EXACT) % DAY_NANOS_EXACT;
  return { day: Number((nanos - nano) / DAY_NANOS_EXACT), nano: Number(nano) };
}

/** Writes a moment as RFC 3339 in UTC, with nine digits of a second. */
export function formatLogMoment({ day, nano }: LogMoment): string {
  return formatInstant(BigInt(day) * DAY_NANOS_EXACT + BigInt(nano));
}

/** Negative when `one` comes first, 0 when they are equal. */
export function compareMoments(one: LogMoment, other: LogMoment): number {
  return one.day - other.day || one.nano - other.nano;
}
