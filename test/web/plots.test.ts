import { expect, test } from 'vitest';
import type { RuntimeFrame, RuntimeSample } from '../../src/domain/inspect/wire.ts';
import {
  BYTE_STEPS,
  bytes,
  COUNT_STEPS,
  duration,
  figure,
  percent,
} from '../../web/src/plots/figures.ts';
import { SAMPLES_MAX, withFrame } from '../../web/src/plots/history.ts';
import { moved } from '../../web/src/plots/plot.tsx';

function frameOf(isFirst: boolean, ...times: readonly number[]): RuntimeFrame {
  const samples = times.map((at) => ({ at }) as RuntimeSample);
  return { topic: 'runtime', isFirst, samples, store: [], effects: [] };
}

test('figures have three digits and a unit that fits', () => {
  expect([null, 0, 0.001234, 12.345, 1234.5].map(figure)).toEqual([
    '–',
    '0',
    '0.00123',
    '12.3',
    '1,235',
  ]);
  expect([null, 0.25, 999, 1500].map(duration)).toEqual(['–', '0.25 ms', '999 ms', '1.5 s']);
  expect([null, 0, 1023, 4096, 5e9].map(bytes)).toEqual([
    '–',
    '0 B',
    '1,023 B',
    '4 KiB',
    '4.66 GiB',
  ]);
  expect([0, 0.0001, 0.25, 1].map(percent)).toEqual(['0 %', '< 0.1 %', '25 %', '100 %']);
});

test('marks of bytes are round in their unit, marks of counts are whole', () => {
  const mebibytes = BYTE_STEPS.filter((step) => step >= 2 ** 20 && step < 2 ** 30).map(bytes);
  expect(mebibytes).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((n) => `${n} MiB`));
  expect(COUNT_STEPS.slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
  expect(COUNT_STEPS.every(Number.isInteger)).toBe(true);
});

test('a first frame replaces what was known, later ones add to it, within a bound', () => {
  const first = withFrame(null, frameOf(true, 1, 2));
  const next = withFrame(first, frameOf(false, 2, 3));
  expect(next.samples.map(({ at }) => at)).toEqual([1, 2, 3]);
  expect(withFrame(next, frameOf(true, 9)).samples.map(({ at }) => at)).toEqual([9]);
  let long = first;
  for (let at = 3; at < 700; at += 1) long = withFrame(long, frameOf(false, at));
  expect(long.samples).toHaveLength(SAMPLES_MAX);
  expect(long.samples.at(-1)?.at).toBe(699);
});

test('keys lead through the samples of a plot, and leave other keys alone', () => {
  expect(moved('ArrowLeft', 0, 10)).toBe(0);
  expect(moved('ArrowRight', 3, 10)).toBe(4);
  expect(moved('PageUp', 3, 10)).toBe(9);
  expect(moved('PageDown', 90, 100)).toBe(30);
  expect(moved('Home', 3, 10)).toBe(0);
  expect(moved('End', 3, 10)).toBe(null);
  expect(moved('Tab', 3, 10)).toBe(undefined);
  expect(moved('ArrowLeft', 0, 0)).toBe(undefined);
});
