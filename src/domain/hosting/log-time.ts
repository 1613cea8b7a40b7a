import { AppError } from '../error.ts';
import { DAY_MS } from '../time.ts';

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

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i;

/**
 * Reads a time of RFC 3339 with up to nine digits of a second.
 *
 * @param name - Of the parameter, for the error.
 * @throws {AppError} `INPUT_INVALID`
 */
export function parseLogMoment(text: string, name: string): LogMoment {
  const [, seconds = '', fraction = '', zone = ''] = RFC3339.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`.toUpperCase());
  if (Number.isNaN(ms)) {
    throw new AppError('INPUT_INVALID', {
      message: `${name} is "${text.slice(0, 64)}"; it must be RFC 3339, 2026-11-22T08:30:00Z`,
      data: { parameter: name, received: text.slice(0, 64) },
    });
  }
  const day = Math.floor(ms / DAY_MS);
  return { day, nano: (ms - day * DAY_MS) * MILLI_NANOS + Number(fraction.padEnd(9, '0')) };
}

/** Writes a moment as RFC 3339 in UTC, with nine digits of a second. */
export function formatLogMoment({ day, nano }: LogMoment): string {
  const ms = day * DAY_MS + Math.floor(nano / MILLI_NANOS);
  const rest = String(nano % MILLI_NANOS).padStart(6, '0');
  return `${new Date(ms).toISOString().slice(0, -1)}${rest}Z`;
}

/** Negative when `one` comes first, 0 when they are equal. */
export function compareMoments(one: LogMoment, other: LogMoment): number {
  return one.day - other.day || one.nano - other.nano;
}

/** The moment of a time in milliseconds since 1970. */
export function momentOf(ms: number): LogMoment {
  const day = Math.floor(ms / DAY_MS);
  return { day, nano: (ms - day * DAY_MS) * MILLI_NANOS };
}
