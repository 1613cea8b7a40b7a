import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeNumbers, findWrongNumbers } from '../../../src/domain/council/purchase-numbers.ts';
import { CouncilFacts } from '../../../src/domain/council/records.ts';

function facts(money: object, stated: object = {}): CouncilFacts {
  return CouncilFacts.parse({ money, stated });
}

const licence = { name: 'licence', kind: 'recurring', amount_usd: '40000.50' };
const setup = { name: 'setup', kind: 'one_off', amount_usd: '20000' };

test('the cost of the term is every line in each of its years', () => {
  const { tcoMicroUsd } = computeNumbers(facts({ term_years: 3, prices: [setup, licence] }));
  expect(tcoMicroUsd).toBe('140001500000');
  const late = { ...licence, from_year: 2, to_year: 2 };
  expect(computeNumbers(facts({ term_years: 3, prices: [late] })).tcoMicroUsd).toBe('40000500000');
});

test('each year is discounted once more than the one before, exactly', () => {
  const money = { term_years: 3, prices: [licence], discount_rate_pct: '10' };
  // 40000.50 + 40000.50 / 1.1 + 40000.50 / 1.21
  expect(computeNumbers(facts(money)).tcoDiscountedMicroUsd).toBe('109422855372');
});

test('payback is the first month whose savings cover the cost, or never', () => {
  const savings = [{ name: 'old', amount_usd: '64000.50' }];
  const money = { term_years: 3, prices: [setup, licence], savings };
  // 20000 at once, then 2000 a month more than it costs.
  expect(computeNumbers(facts(money)).paybackMonths).toBe(10);
  const little = { ...money, savings: [{ name: 'old', amount_usd: '41000' }] };
  expect(computeNumbers(facts(little)).paybackMonths).toBe('never');
  expect(computeNumbers(facts({ ...money, savings: [] })).paybackMonths).toBeNull();
});

test('what is missing in the brief is unknown, never zero', () => {
  expect(computeNumbers({})).toEqual({
    tcoMicroUsd: null,
    tcoDiscountedMicroUsd: null,
    budgetMicroUsd: null,
    budgetLeftMicroUsd: null,
    paybackMonths: null,
  });
  expect(computeNumbers(facts({ budget_usd: '5' }))).toMatchObject({ budgetLeftMicroUsd: null });
});

test('a budget that does not suffice leaves less than nothing', () => {
  const money = { term_years: 1, prices: [setup], budget_usd: '15000', budget_committed_usd: '1' };
  expect(computeNumbers(facts(money)).budgetLeftMicroUsd).toBe('-5001000000');
});

test('stated numbers are wrong beyond a dollar of rounding', () => {
  const money = { term_years: 1, prices: [setup], budget_usd: '15000' };
  const wrong = (stated: object) => {
    const given = facts(money, stated);
    return findWrongNumbers(given, computeNumbers(given)).map(({ figure, difference }) => [
      figure,
      difference,
    ]);
  };
  expect(wrong({ tco_usd: '20001', budget_left_usd: '-5000' })).toEqual([]);
  expect(wrong({ tco_usd: '20001.01' })).toEqual([['tco', '-1.01 USD']]);
  expect(wrong({ budget_left_usd: '5000' })).toEqual([['budget_left', '-10000.00 USD']]);
});

const cents = fc.integer({ min: 0, max: 10 ** 9 });
const dollars = cents.map((n) => `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`);
const line = fc.record({
  name: fc.constant('x'),
  kind: fc.constantFrom('one_off', 'recurring'),
  amount_usd: dollars,
  from_year: fc.integer({ min: 1, max: 5 }),
});

test('over any lines: order does not matter, discounting never raises, parts sum up', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.nat(3_000), (prices, bps) => {
      const rate = `${Math.floor(bps / 100)}.${String(bps % 100).padStart(2, '0')}`;
      const money = { term_years: 5, prices, discount_rate_pct: rate };
      const whole = computeNumbers(facts(money));
      expect(computeNumbers(facts({ ...money, prices: prices.toReversed() }))).toEqual(whole);
      const tco = BigInt(whole.tcoMicroUsd ?? '-1');
      expect(BigInt(whole.tcoDiscountedMicroUsd ?? '-1') <= tco).toBe(true);
      const parts = prices.map(
        (one) => computeNumbers(facts({ ...money, prices: [one] })).tcoMicroUsd,
      );
      expect(parts.reduce((sum, part) => sum + BigInt(part ?? '0'), 0n)).toBe(tco);
    }),
    { numRuns: 100 },
  );
});
