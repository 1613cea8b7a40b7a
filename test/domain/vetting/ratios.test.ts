import { expect, test } from 'vitest';
import type { Metric, PeriodFact } from '../../../src/domain/filing/period-facts.ts';
import { computeRatios } from '../../../src/domain/vetting/ratios.ts';

// Golden: Apple's Form 10-K for the year ended 2023-09-30, in millions of dollars. By hand:
// 143566 / 145308 = 0.988; 6.56 × -1742/352583 + 3.26 × -214/352583 + 6.72 × 114301/352583
// + 1.05 × 62146/290437 = 2.3688.
const APPLE: Partial<Record<Metric, string>> = {
  current_assets: '143566000000',
  current_liabilities: '145308000000',
  total_assets: '352583000000',
  total_liabilities: '290437000000',
  retained_earnings: '-214000000',
  operating_income: '114301000000',
  equity: '62146000000',
};

function factsOf(values: Partial<Record<Metric, string>>, more: Partial<PeriodFact> = {}) {
  return Object.entries(values).map(([metric, value]): PeriodFact => {
    const isFlow = metric === 'operating_income';
    return {
      metric: metric as Metric,
      value,
      concept: metric,
      unit: 'USD',
      form: '10-K',
      start: null,
      end: '2023-09-30',
      filed: '2023-11-03',
      frame: null,
      accession: '0000320193-23-000106',
      period: isFlow ? 'year' : 'instant',
      durationDays: isFlow ? 371 : null,
      ...more,
    };
  });
}

function named(facts: readonly PeriodFact[]) {
  return computeRatios(facts).map(({ name, value }) => [name, value]);
}

test('both ratios follow from the published figures, cut to two places', () => {
  expect(named(factsOf(APPLE))).toEqual([
    ['current_ratio', '0.98'],
    ['altman_z', '2.36'],
  ]);
});

test('a ratio that lacks an input is left out, not filled in', () => {
  const { retained_earnings: _, ...rest } = APPLE;
  expect(named(factsOf(rest))).toEqual([['current_ratio', '0.98']]);
  expect(named([])).toEqual([]);
});

test.each<readonly [string, Partial<PeriodFact>]>([
  ['another day', { end: '2022-09-24' }],
  ['another unit', { unit: 'EUR' }],
  ['another filing', { accession: '0000320193-22-000108' }],
  ['a part of the year', { period: 'quarter' }],
])('figures of %s are never mixed with the others', (_, other) => {
  const { current_liabilities: liabilities = '', ...rest } = APPLE;
  const facts = [...factsOf(rest), ...factsOf({ current_liabilities: liabilities }, other)];
  expect(named(facts)).toEqual([]);
});

test('nothing is divided by zero or by less', () => {
  expect(named(factsOf({ ...APPLE, current_liabilities: '0' }))).toEqual([['altman_z', '5.07']]);
  expect(named(factsOf({ ...APPLE, total_liabilities: '0' }))).toEqual([['current_ratio', '0.98']]);
});
