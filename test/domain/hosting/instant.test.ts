import { expect, test } from 'vitest';
import {
  formatInstant,
  parseInstant,
  parseInstantMs,
} from '../../../src/domain/hosting/instant.ts';

test.each([
  ['1970-01-01T00:00:00Z', 0n],
  ['1970-01-01T00:00:00.000000001Z', 1n],
  ['1970-01-01t00:00:01.5z', 1_500_000_000n],
  ['1970-01-01T01:00:00+01:00', 0n],
  ['1969-12-31T23:30:00-00:30', 0n],
  ['1969-12-31T23:59:59.999999999Z', -1n],
  ['2024-02-29T00:00:00Z', 1_709_164_800_000_000_000n],
])('%s is read to the nanosecond', (text, nanos) => {
  expect(parseInstant(text)).toBe(nanos);
});

test.each([
  '',
  'now',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00.0000000001Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+0100',
  '1767225600',
])('%j is no time', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('a time that is written is read again as it was', () => {
  for (const nanos of [0n, 1n, -1n, 1_767_225_600_123_456_789n, -1_500_000n]) {
    expect(parseInstant(formatInstant(nanos))).toBe(nanos);
  }
  expect(formatInstant(-1n)).toBe('1969-12-31T23:59:59.999999999Z');
  expect(parseInstantMs('1969-12-31T23:59:59.9999Z')).toBe(-1);
});
