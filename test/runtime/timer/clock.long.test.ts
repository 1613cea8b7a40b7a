import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SimulatedClock, systemClock } from '../../../src/runtime/timer/clock.ts';

const DAY_MS = 86_400_000;

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([30, 400])('a wait of %s days is over when it is, and not before', (days) => {
    let runs = 0;
    systemClock().at(days * DAY_MS, () => {
      runs += 1;
    });
    vi.advanceTimersByTime(days * DAY_MS - 1);
    expect(runs).toBe(0);
    vi.advanceTimersByTime(1);
    expect(runs).toBe(1);
    vi.advanceTimersByTime(DAY_MS);
    expect(runs).toBe(1);
  });

  test('no single sleep reaches the limit of Node, which would end it at once', () => {
    const sleeps: number[] = [];
    const spy = vi.spyOn(globalThis, 'setTimeout');
    const cancel = systemClock().at(400 * DAY_MS, () => undefined);
    vi.advanceTimersByTime(DAY_MS);
    for (const [, ms] of spy.mock.calls) sleeps.push(ms ?? 0);
    cancel();
    expect(Math.max(...sleeps)).toBeLessThan(2 ** 31 - 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a clock that is set forward is noticed within a minute', () => {
    let ranAt = 0;
    systemClock().at(10 * DAY_MS, () => {
      ranAt = Date.now();
    });
    vi.setSystemTime(11 * DAY_MS);
    vi.advanceTimersByTime(60_000);
    expect(ranAt).toBe(11 * DAY_MS + 60_000);
  });

  test('a cancelled wait and one of the past', () => {
    const seen: string[] = [];
    const cancel = systemClock().at(100, () => seen.push('cancelled'));
    systemClock().at(-100, () => seen.push('past'));
    cancel();
    vi.advanceTimersByTime(1_000);
    expect(seen).toEqual(['past']);
  });
});

describe('SimulatedClock', () => {
  test('waits run in order, each at its own time, also those that others begin', async () => {
    const clock = new SimulatedClock(1_000);
    const seen: string[] = [];
    clock.at(1_020, () => seen.push(`b@${clock.now()}`));
    clock.at(1_010, () => {
      seen.push(`a@${clock.now()}`);
      clock.at(1_015, () => seen.push(`c@${clock.now()}`));
    });
    clock.at(9_999, () => seen.push('never'));
    clock.at(1_012, () => seen.push('cancelled'))();
    await clock.advance(50);
    expect(seen).toEqual(['a@1010', 'c@1015', 'b@1020']);
    expect(clock.now()).toBe(1_050);
  });

  test('what a wait began has come to rest before the next one runs', async () => {
    const clock = new SimulatedClock();
    const seen: string[] = [];
    clock.at(1, () => {
      new Promise((resolve) => setImmediate(resolve))
        .then(() => seen.push('work of the first'))
        .catch(() => undefined);
    });
    clock.at(2, () => seen.push('second'));
    await clock.set(3);
    expect(seen).toEqual(['work of the first', 'second']);
  });
});
