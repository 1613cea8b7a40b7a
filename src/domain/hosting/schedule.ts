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
/** Days of each month, from January, with the leap day. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Description of a valid schedule for error messages. */
export const SCHEDULE_SYNTAX =
  'five fields separated by one space: minute 0-59, hour 0-23, day of month 1-31, month 1-12, ' +
  'day of week 0-6 with Sunday 0; each *, a number, a-b, a list a,b or a step */n or a-b/n; ' +
  'such as "*/15 0-6 * * 1-5"';

/**
 * Checks the strict five-field form (hosting specification, `create_cron_job`). Fields are numbers
 * only: no names, no 7 for Sunday, no seconds and no `@daily`. The engine computes the dates.
 *
 * @returns An error that names the invalid field and its allowed values; `undefined` if valid.
 */
export function findScheduleFault(text: string): string | undefined {
  if (text.length > SCHEDULE_CHARS_MAX) return `at most ${SCHEDULE_CHARS_MAX} characters`;
  const parts = text.split(' ');
  if (parts.length !== FIELDS.length || parts.includes('')) return SCHEDULE_SYNTAX;
  const fieldValues: ReadonlySet<number>[] = [];
  for (const [at, field] of FIELDS.entries()) {
    const values = parseField(parts[at] ?? '', field);
    if (values === undefined) return describeFieldError(field, parts[at] ?? '');
    fieldValues.push(values);
  }
  // If both kinds of days are restricted, one suffices, and every month has all weekdays.
  if (!parts[2]?.startsWith('*') && !parts[4]?.startsWith('*')) return undefined;
  const [, , days = new Set<number>(), months = new Set<number>()] = fieldValues;
  const firstDay = Math.min(...days);
  if ([...months].some((month) => firstDay <= (MONTH_DAYS[month - 1] ?? 0))) return undefined;
  return 'days that exist in at least one of the given months';
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
