import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../../src/domain/common/time.ts';
import {
  alignWindow,
  METRIC_BUCKET_MS,
} from '../../../../src/domain/hosting/telemetry/metric-window.ts';

const MORNING = Date.parse('2026-11-22T08:00:00Z');

test('any time is covered from inside, by whole cells', () => {
  const now = MORNING + HOUR_MS;
  fc.assert(
    fc.property(fc.nat(HOUR_MS), fc.nat(HOUR_MS), (from, length) => {
      const start = MORNING + from;
      const end = Math.min(now, start + length);
      const covered = alignWindow({ start, end }, now);
      expect(covered.start % METRIC_BUCKET_MS).toBe(0);
      expect(covered.start - start).toBeLessThan(METRIC_BUCKET_MS);
      expect(covered.start).toBeGreaterThanOrEqual(start);
      if (covered.start < covered.end) expect(covered.end).toBeLessThanOrEqual(end);
      expect(alignWindow(covered, now)).toEqual(covered);
    }),
  );
});
