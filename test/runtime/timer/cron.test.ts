import { expect, test } from 'vitest';
import { parseCron } from '../../../src/runtime/timer/cron.ts';

const ADVANCES = 8;

test('a time that a clock change takes out is due right behind the gap, once', () => {
  expect(dates('30 2 * * *', 'Europe/Vienna', '2026-03-27T12:00Z', 3)).toEqual([
    '2026-03-28T01:30Z',
    '2026-03-29T01:30Z',
    '2026-03-30T00:30Z',
  ]);
});

test('a fixed time that comes twice is due once, the first time', () => {
  expect(dates('30 2 * * *', 'Europe/Vienna', '2026-10-24T12:00Z', 2)).toEqual([
    '2026-10-25T00:30Z',
    '2026-10-26T01:30Z',
  ]);
});

test('every hour means every hour, in spring and in autumn', () => {
  for (const [zone, from] of [
    ['Europe/Vienna', '2026-03-28T22:30Z'],
    ['Europe/Vienna', '2026-10-24T22:30Z'],
    ['America/New_York', '2026-03-08T04:30Z'],
    ['America/New_York', '2026-11-01T03:30Z'],
  ] as const) {
    const start = Date.parse(from) + 30 * 60_000;
    const expected = Array.from({ length: ADVANCES }, (_, n) => start + n * 3_600_000);
    expect(times('0 * * * *', zone, from)).toEqual(expected);
    expect(times('@hourly', zone, from)).toEqual(expected);
  }
});

test('every half hour goes on through the hour that comes twice', () => {
  const from = '2026-11-01T04:30Z';
  const expected = Array.from(
    { length: ADVANCES },
    (_, n) => Date.parse(from) + (n + 1) * 1_800_000,
  );
  expect(times('*/30 * * * *', 'America/New_York', from)).toEqual(expected);
});

test('a start within the second of two hours does not lead back', () => {
  expect(dates('30 1 * * *', 'America/New_York', '2026-11-01T06:10Z', 1)).toEqual([
    '2026-11-02T06:30Z',
  ]);
});

test('a zone that moves by half an hour is followed', () => {
  expect(dates('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T00:00Z', 3)).toEqual([
    '2026-10-02T15:45Z',
    '2026-10-03T15:45Z',
    '2026-10-04T15:15Z',
  ]);
});

test('a date is always behind the one before, and leap days are found', () => {
  expect(dates('0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', 2)).toEqual([
    '2028-02-29T00:00Z',
    '2032-02-29T00:00Z',
  ]);
  const { next } = parseCron('* * * * * *', 'UTC');
  expect(next(1_000)).toBe(2_000);
  expect(next(1_001)).toBe(2_000);
});

function times(cron: string, zone: string, from: string, count = ADVANCES): readonly number[] {
  const { next } = parseCron(cron, zone);
  const found: number[] = [];
  let at = Date.parse(from);
  for (let n = 0; n < count; n += 1) {
    at = next(at) ?? Number.NaN;
    found.push(at);
  }
  return found;
}

function dates(cron: string, zone: string, from: string, count: number): readonly string[] {
  const short = (at: number) => new Date(at).toISOString().replace(':00.000Z', 'Z');
  return times(cron, zone, from, count).map(short);
}
