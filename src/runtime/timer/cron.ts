import { Cron } from 'croner';
import { EngineError } from '../engine/error.ts';

/** Allowed patterns, for error messages. */
const ALLOWED_PATTERNS =
  'five fields (minute hour day month weekday), six with leading seconds, seven with ' +
  'trailing years, or @hourly, @daily, @weekly, @monthly, @yearly';

const HOUR_MS = 3_600_000;

/** The dates of a pattern. */
export interface CronDates {
  /** Returns the first date after `after`, in milliseconds; `undefined` if there is none. */
  next(after: number): number | undefined;
}

/**
 * Parses a pattern. A time skipped by a clock change is due right after the gap. If a clock change
 * repeats an hour, a pattern with a fixed hour is due once, a pattern for every hour twice.
 *
 * @param timezone - IANA name.
 * @throws {EngineError} `SCHEDULE_INVALID`
 */
export function parseCron(cron: string, timezone: string): CronDates {
  const offsetAt = createOffsetReader(timezone);
  const zoned = parsePattern(cron, { timezone });
  const next = (after: number) => nextDate(zoned, after);
  if (!runsEveryHour(cron)) return { next };
  return {
    next: (after) => {
      const found = next(after);
      if (found === undefined) return undefined;
      // In a repeated hour, the local time alone does not identify the date.
      const fixed = [offsetAt(after), offsetAt(found)].map((utcOffset) => {
        const date = nextDate(parsePattern(cron, { utcOffset }), after);
        return date !== undefined && offsetAt(date) === utcOffset ? date : found;
      });
      return Math.min(found, ...fixed);
    },
  };
}

function parsePattern(cron: unknown, where: { timezone: string } | { utcOffset: number }): Cron {
  const isPattern = typeof cron === 'string' && /^(@[a-z]+|\S+(\s+\S+){4,6})$/.test(cron.trim());
  if (!isPattern) throw invalidSchedule('cron', cron, ALLOWED_PATTERNS);
  try {
    return new Cron(cron.trim(), { ...where, domAndDow: hasOpenDay(cron) });
  } catch (cause) {
    throw invalidSchedule('cron', cron, ALLOWED_PATTERNS, cause);
  }
}

/** Returns a function that gives a zone's offset from UTC, in minutes. */
function createOffsetReader(timezone: string): (at: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw invalidSchedule(
      'timezone',
      timezone,
      'an IANA name such as Europe/Vienna, or UTC',
      cause,
    );
  }
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign = '+', hours = '0', minutes = '0'] =
      /^GMT([+-])(\d+):(\d+)/.exec(name ?? '') ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };
}

function runsEveryHour(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const hour = fields[fields.length === 5 ? 1 : 2];
  return fields[0] === '@hourly' || /^[*?]/.test(hour ?? '');
}

/**
 * Returns whether a field of days begins with `*`: then a date must match both. If both fields name
 * days, one of them suffices.
 */
function hasOpenDay(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  const at = fields.length === 5 ? 2 : 3;
  return [fields[at], fields[at + 2]].some((field) => /^[*?]/.test(field ?? ''));
}

/** In a repeated hour, the pattern alone leads back to the first of the two. */
function nextDate(pattern: Cron, after: number): number | undefined {
  for (let from = after; ; from += HOUR_MS) {
    const date = pattern.nextRun(new Date(from))?.getTime();
    if (date === undefined || date > after) return date;
  }
}

function invalidSchedule(
  what: string,
  received: unknown,
  allowed: string,
  cause?: unknown,
): EngineError {
  const message = `${what} ${JSON.stringify(received)} is not ${allowed}`;
  return new EngineError('SCHEDULE_INVALID', message, {
    data: { what, received, allowed },
    cause,
  });
}
