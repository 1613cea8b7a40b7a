import { describe, expect, test } from 'vitest';
import { findScheduleFault } from '../../../src/domain/hosting/schedule.ts';
import { parseCron } from '../../../src/runtime/timer/cron.ts';

const at = (text: string): number => Date.parse(text);

function next(schedule: string, after: string): string | undefined {
  expect(findScheduleFault(schedule)).toBeUndefined();
  const due = parseCron(schedule, 'UTC').next(at(after));
  return due === undefined ? undefined : new Date(due).toISOString().replace(':00.000Z', 'Z');
}

describe('the next run', () => {
  test.each([
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01Z'],
    ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01Z'],
    ['0 0 * * *', '2026-01-01T00:00:00Z', '2026-01-02T00:00Z'],
    ['59 23 31 12 *', '2026-12-31T23:58:00Z', '2026-12-31T23:59Z'],
    ['*/15 * * * *', '2026-01-01T10:16:00Z', '2026-01-01T10:30Z'],
    ['10-20/5 * * * *', '2026-01-01T10:10:00Z', '2026-01-01T10:15Z'],
    ['0 9 * * 1-5', '2026-01-02T09:00:00Z', '2026-01-05T09:00Z'],
    ['0 0 * * 0', '2026-01-01T00:00:00Z', '2026-01-04T00:00Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00Z'],
    ['0 0 31 * *', '2026-04-01T00:00:00Z', '2026-05-31T00:00Z'],
    ['5,10 1,2 * * *', '2026-01-01T01:05:00Z', '2026-01-01T01:10Z'],
    // Both kinds of days are narrowed: one is enough.
    ['0 0 13 * 5', '2026-03-01T00:00:00Z', '2026-03-06T00:00Z'],
    ['0 0 13 * 5', '2026-04-10T00:00:00Z', '2026-04-13T00:00Z'],
    ['0 0 */2 * 1', '2026-03-01T00:00:00Z', '2026-03-09T00:00Z'],
  ])('of %s after %s is %s', (schedule, after, due) => {
    expect(next(schedule, after)).toBe(due);
  });
});

describe('what is no schedule', () => {
  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '*  * * * *',
    ' * * * * *',
    '60 * * * *',
    '-1 * * * *',
    '* 24 * * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * * 7',
    '* * * JAN *',
    '* * * * MON',
    '5/10 * * * *',
    '*/0 * * * *',
    '*/99 * * * *',
    '20-10 * * * *',
    '1,,2 * * * *',
    '1- * * * *',
    '@hourly',
    '0 0 30 2 *',
    '* * * * *\n',
    '1.5 * * * *',
    `${'1,'.repeat(300)}1 * * * *`,
  ])('%j is refused with what it may be', (text) => {
    expect(findScheduleFault(text)?.length).toBeGreaterThan(10);
  });
});
