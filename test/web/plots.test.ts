import { expect, test } from 'vitest';
import type { RuntimeFrame, RuntimeSample } from '../../src/domain/inspect/wire.ts';
import { applyFrame, SAMPLES_MAX } from '../../web/src/plots/history.ts';
import {
  BYTE_STEPS,
  COUNT_STEPS,
  formatBytes,
  formatMilliseconds,
  formatNumber,
  formatPercent,
} from '../../web/src/plots/number-format.ts';
import { nextIndex } from '../../web/src/plots/plot.tsx';

function frameOf(isFirst: boolean, ...times: readonly number[]): RuntimeFrame {
  const samples = times.map((at) => ({ at }) as RuntimeSample);
  return { topic: 'runtime', isFirst, samples, store: [], effects: [] };
}

test('figures have three digits and a unit that fits', () => {
  expect([null, 0, 0.001234, 12.345, 1234.5].map(formatNumber)).toEqual([
    '–',
    '0',
    '0.00123',
    '12.3',
    '1,235',
  ]);
  expect([null, 0.25, 999, 1500].map(formatMilliseconds)).toEqual([
    '–',
    '0.25 ms',
    '999 ms',
    '1.5 s',
  ]);
  expect([null, 0, 1023, 4096, 5e9].map(formatBytes)).toEqual([
    '–',
    '0 B',
    '1,023 B',
    '4 KiB',
    '4.66 GiB',
  ]);
  expect([0, 0.0001, 0.25, 1].map(formatPercent)).toEqual(['0 %', '< 0.1 %', '25 %', '100 %']);
});

test('marks of bytes are round in their unit, marks of counts are whole', () => {
  const mebibytes = BYTE_STEPS.filter((step) => step >= 2 ** 20 && step < 2 ** 30).map(formatBytes);
  expect(mebibytes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((n) => `${n} MiB`));
  expect(COUNT_STEPS.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
  expect(COUNT_STEPS.every(Number.isInteger)).toBe(true);
});

test('a first frame replaces what was known, later ones add to it, within a bound', () => {
  const first = applyFrame(null, frameOf(true, 1, 2));
  const next = applyFrame(first, frameOf(false, 2, 3));
  expect(next.samples.map(({ at }) => at)).toEqual([1, 2, 3]);
  expect(applyFrame(next, frameOf(true, 9)).samples.map(({ at }) => at)).toEqual([9]);
  let long = first;
  for (let at = 3; at < 700; at += 1) long = applyFrame(long, frameOf(false, at));
  expect(long.samples).toHaveLength(SAMPLES_MAX);
  expect(long.samples.at(-1)?.at).toBe(699);
});

test('keys lead through the samples of a plot, and leave other keys alone', () => {
  expect(nextIndex('ArrowLeft', 0, 10)).toBe(0);
  expect(nextIndex('ArrowRight', 3, 10)).toBe(4);
  expect(nextIndex('PageUp', 3, 10)).toBe(9);
  expect(nextIndex('PageDown', 90, 100)).toBe(30);
  expect(nextIndex('Home', 3, 10)).toBe(0);
  expect(nextIndex('End', 3, 10)).toBe(null);
  expect(nextIndex('Tab', 3, 10)).toBe(undefined);
  expect(nextIndex('ArrowLeft', 0, 0)).toBe(undefined);
});
