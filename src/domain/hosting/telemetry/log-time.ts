import { AppError } from '../../common/error.ts';
import { DAY_MS } from '../../common/time.ts';
import { formatInstant, parseInstant } from '../instant.ts';

/** Nanoseconds per millisecond. */
export const MILLI_NANOS = 1_000_000;
/** Nanoseconds per day. */
export const DAY_NANOS = DAY_MS * MILLI_NANOS;

/** A time in nanoseconds. A single number cannot represent it exactly. */
export interface LogTime {
  /** Days since 1970. */
  readonly day: number;
  /** Nanoseconds of the day, from 0 to {@link DAY_NANOS}, which is the start of the next day. */
  readonly nano: number;
}

const DAY_NANOS_EXACT = BigInt(DAY_NANOS);

/**
 * Parses an RFC 3339 time with up to nine fractional digits.
 *
 * @param name - Name of the parameter, for the error.
 * @throws {AppError} `INPUT_INVALID`
 */
export function parseLogTime(text: string, name: string): LogTime {
  const nanos = parseInstant(text);
  if (nanos === undefined) {
    throw new AppError('INPUT_INVALID', {
      message: `${name} is "${text.slice(0, 64)}"; it must be RFC 3339, as 2026-11-22T08:30:00Z`,
      data: { parameter: name, received: text.slice(0, 64) },
    });
  }
  const nano = ((nanos % DAY_NANOS_EXACT) + DAY_NANOS_EXACT) % DAY_NANOS_EXACT;
  return { day: Number((nanos - nano) / DAY_NANOS_EXACT), nano: Number(nano) };
}

/** Formats a time as RFC 3339 in UTC with nine fractional digits. */
export function formatLogTime({ day, nano }: LogTime): string {
  return formatInstant(BigInt(day) * DAY_NANOS_EXACT + BigInt(nano));
}

/** Compares two times: negative if `one` is earlier, 0 if equal. */
export function compareLogTimes(one: LogTime, other: LogTime): number {
  return one.day - other.day || one.nano - other.nano;
}
