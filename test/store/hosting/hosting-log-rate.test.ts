import { expect, test } from 'vitest';
import { LogRateLimiter } from '../../../src/store/hosting/hosting-log-rate.ts';

test('a resource may write its burst at once, and then its rate', () => {
  const gate = new LogRateLimiter({ linesPerSecond: 2, burst: 3 });
  const passed = (times: readonly number[]) =>
    times.filter((now) => gate.tryConsume('srv-a', 1, now));
  expect(passed([0, 0, 0, 0, 499, 500, 500, 1_000, 1_000])).toEqual([0, 0, 0, 500, 1_000]);
  expect(passed(Array(9).fill(100_000))).toHaveLength(3);
});

test('a long line counts for each KiB', () => {
  const gate = new LogRateLimiter({ linesPerSecond: 1, burst: 17 });
  expect(gate.tryConsume('srv-a', 16 * 1_024, 0)).toBe(true);
  expect(gate.tryConsume('srv-a', 1, 0)).toBe(false);
});

test('a clock that is set back gives nothing and takes nothing', () => {
  const gate = new LogRateLimiter({ linesPerSecond: 1, burst: 1 });
  expect([10_000, 5_000, 5_500, 6_000].map((now) => gate.tryConsume('srv-a', 1, now))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('only so many resources are remembered', () => {
  const gate = new LogRateLimiter({ linesPerSecond: 1, burst: 1 });
  for (let n = 0; n <= 10_000; n += 1) gate.tryConsume(`srv-${n}`, 1, 0);
  expect(gate.tryConsume('srv-10000', 1, 0)).toBe(false);
  expect(gate.tryConsume('srv-0', 1, 0)).toBe(true);
});
