import { afterEach, expect, test, vi } from 'vitest';
import { openMeters } from '../../../src/process/telemetry/meters.ts';

afterEach(() => vi.restoreAllMocks());

test('memory that cannot be read is as it was, and nothing is thrown into a timer', () => {
  const meters = openMeters();
  const before = meters.memory();
  expect(before.rssBytes).toBeGreaterThan(0);
  // What Node throws while no descriptor is left to read /proc with.
  vi.spyOn(process, 'memoryUsage').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files, uv_resident_set_memory'), {
      code: 'EMFILE',
    });
  });
  expect(meters.memory()).toEqual(before);
  vi.restoreAllMocks();
  expect(meters.memory()).not.toBe(before);
  meters.stop();
});
