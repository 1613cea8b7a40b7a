import { expect, test } from 'vitest';
import { formatRelativeTime, formatSpan } from '../../web/src/parts/times.tsx';
import { rowWindow } from '../../web/src/parts/virtual-window.ts';

test('the rows that are drawn are those that are seen and a few more, however many there are', () => {
  expect(rowWindow({ top: 0, height: 320 }, 32, 100_000)).toEqual({ start: 0, end: 18 });
  expect(rowWindow({ top: 32_000, height: 320 }, 32, 100_000)).toEqual({ start: 992, end: 1018 });
  expect(rowWindow({ top: 32_000, height: 320 }, 32, 5)).toEqual({ start: 5, end: 5 });
  expect(rowWindow({ top: 0, height: 320 }, 32, 0)).toEqual({ start: 0, end: 0 });
});

test('spans are told in their largest whole unit', () => {
  const seconds = [0, 59.9, 60, 3599, 3600, 86_399, 86_400, 86_400 * 12.5];
  expect(seconds.map((span) => formatSpan(span * 1000))).toEqual([
    ...['0 s', '59 s', '1 min', '59 min', '1 h', '23 h', '1 d', '12 d'],
  ]);
  expect(formatRelativeTime(0, 65_000)).toBe('1 min ago');
  expect(formatRelativeTime(65_000, 0)).toBe('in 1 min');
  expect(formatRelativeTime(500, 0)).toBe('now');
});
