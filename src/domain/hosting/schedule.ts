import { DAY_MS, MINUTE_MS } from '../common/time.ts';

/** A five-field cron schedule. Each field is the set of its matching numbers. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  /** Whether one of day of month and day of week suffices because both are restricted. */
  readonly isEitherDay: boolean;
}

interface FieldRange {
  readonly name: string;
  readonly least: number;
  readonly most: number;
}

const FIELDS: readonly FieldRange[] = [
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12 },
  { name: 'day of week', least: 0, most: 6 },
];
const SCHEDULE_CHARS_MAX = 256;
/** Search horizon for the next run. The longest gap, between two leap days, is eight years. */
const HORIZON_DAYS = 8 * 366;

/** Description of a valid schedule for error messages. */
export const SCHEDULE_SYNTAX =
  'five fields separated by one space: minute 0-59, hour 0-23, day of month 1-31, month 1-12, ' +
  'day of week 0-6 with Sunday 0; each *, a number, a-b, a list a,b or a step */n or a-b/n; ' +
  'such as "*/15 0-6 * * 1-5"';

/**
 * Parses the strict five-field form (hosting specification, `create_cron_job`). Fields are numbers
 * only: no names, no 7 for Sunday, no seconds and no `@daily`. Times are UTC.
 *
 * @returns The schedule, or an error that names the invalid field and its allowed values.
 */
export function parseSchedule(text: string): Schedule | { readonly fault: string } {
  if (text.length > SCHEDULE_CHARS_MAX) {
    return { fault: `at most ${SCHEDULE_CHARS_MAX} characters` };
  }
  const parts = text.split(' ');
  if (parts.length !== FIELDS.length || parts.includes('')) return { fault: SCHEDULE_SYNTAX };
  const fieldValues: ReadonlySet<number>[] = [];
  for (const [at, field] of FIELDS.entries()) {
    const values = parseField(parts[at] ?? '', field);
    if (values === undefined) return { fault: describeFieldError(field, parts[at] ?? '') };
    fieldValues.push(values);
  }
  const none: ReadonlySet<number> = new Set();
  const [minutes = none, hours = none, days = none, months = none, weekdays = none] = fieldValues;
  const isEitherDay = !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*');
  const schedule = { minutes, hours, days, months, weekdays, isEitherDay };
  if (findNextRun(schedule, 0) !== undefined) return schedule;
  return { fault: 'days that exist in at least one of the given months' };
}

/**
 * Returns the first minute after `after` at which a schedule is due, in UTC.
 *
 * @param after - Milliseconds since 1970.
 * @returns Milliseconds; `undefined` if no day ever matches.
 */
export function findNextRun(schedule: Schedule, after: number): number | undefined {
  const first = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const firstDay = Math.floor(first / DAY_MS) * DAY_MS;
  for (let day = 0; day <= HORIZON_DAYS; day += 1) {
    const start = firstDay + day * DAY_MS;
    if (!isDueOn(schedule, new Date(start))) continue;
    const minute = findDueMinute(schedule, start, first);
    if (minute !== undefined) return minute;
  }
  return undefined;
}

function isDueOn({ days, months, weekdays, isEitherDay }: Schedule, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const isDay = days.has(date.getUTCDate());
  const isWeekday = weekdays.has(date.getUTCDay());
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

function findDueMinute(schedule: Schedule, start: number, first: number): number | undefined {
  for (let at = Math.max(start, first); at < start + DAY_MS; at += MINUTE_MS) {
    const date = new Date(at);
    const isDueHour = schedule.hours.has(date.getUTCHours());
    if (isDueHour && schedule.minutes.has(date.getUTCMinutes())) return at;
  }
  return undefined;
}

function parseField(text: string, field: FieldRange): ReadonlySet<number> | undefined {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const range = parseRange(part, field);
    if (range === undefined) return undefined;
    for (let at = range.from; at <= range.to; at += range.step) found.add(at);
  }
  return found;
}

function parseRange(part: string, { least, most }: FieldRange) {
  const match = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
  if (match === null) return undefined;
  const [, wildcard, first, last, stepText] = match;
  // Cron implementations disagree on a step after a single number.
  if (stepText !== undefined && wildcard === undefined && last === undefined) return undefined;
  const step = stepText === undefined ? 1 : Number(stepText);
  const from = wildcard === undefined ? Number(first) : least;
  const to = wildcard === undefined ? Number(last ?? first) : most;
  const isWithin = from >= least && to <= most && from <= to;
  return isWithin && step >= 1 && step <= most ? { from, to, step } : undefined;
}

function describeFieldError({ name, least, most }: FieldRange, text: string): string {
  const received = JSON.stringify(text.slice(0, 40));
  return (
    `${name} is ${received}; it must be *, a number from ${least} to ${most}, a range a-b, ` +
    'a list a,b or a step */n or a-b/n'
  );
}
