import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareLogTimes,
  formatLogTime,
  parseLogTime,
} from '../../../../src/domain/hosting/telemetry/log-time.ts';

test('a moment is read as it was written, to the nanosecond, and sorts as its text does', () => {
  const moment = fc.record({
    day: fc.integer({ min: 0, max: 30_000 }),
    nano: fc.integer({ min: 0, max: 86_399_999_999_999 }),
  });
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      const texts = [one, other].map(formatLogTime);
      expect(parseLogTime(texts[0] ?? '', 'startTime')).toEqual(one);
      const isBefore = (texts[0] ?? '') < (texts[1] ?? '');
      expect(compareLogTimes(one, other) < 0).toBe(isBefore);
    }),
  );
});

test('an offset and missing digits count', () => {
  expect(parseLogTime('1970-01-02T01:00:00.5+02:00', 'x')).toEqual({
    day: 0,
    nano: 82_800_500_000_000,
  });
});

test('the end of a day is the begin of the next one', () => {
  expect(formatLogTime({ day: 0, nano: 86_400_000_000_000 })).toBe(
    '1970-01-02T00:00:00.000000000Z',
  );
});
