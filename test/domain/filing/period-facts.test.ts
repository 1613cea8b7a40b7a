import { expect, test } from 'vitest';
import type { ListedFiling } from '../../../src/domain/filing/forms.ts';
import {
  type Metric,
  selectPeriodFacts,
  type TaggedFact,
} from '../../../src/domain/filing/period-facts.ts';

const filing: ListedFiling = {
  accession: '0000000001-24-000001',
  form: '10-Q',
  filingDate: '2024-08-01',
  reportDate: '2024-06-30',
  acceptedAt: 0,
  items: [],
  primaryDocument: 'a.htm',
};

function fact(over: Partial<TaggedFact>): TaggedFact {
  return {
    concept: 'Revenues',
    unit: 'USD',
    start: '2024-04-01',
    end: '2024-06-30',
    value: '1',
    accession: filing.accession,
    form: '10-Q',
    filed: '2024-08-01',
    frame: null,
    ...over,
  };
}

function revenues(facts: readonly TaggedFact[], form = '10-Q') {
  return selectPeriodFacts(facts, { ...filing, form }).facts.map(({ period, value }) => [
    period,
    value,
  ]);
}

test('of four figures of one tag in one filing those of its own period are picked', () => {
  const lastYear = { end: '2023-06-30' };
  const four = [
    fact({ start: '2023-04-01', ...lastYear, value: '3' }),
    fact({ start: '2023-01-01', ...lastYear, value: '4' }),
    fact({ value: '1' }),
    fact({ start: '2024-01-01', value: '2' }),
  ];
  expect(revenues(four)).toEqual([
    ['quarter', '1'],
    ['year_to_date', '2'],
  ]);
});

test('another filing with the same period, such as an amendment, gives nothing to this one', () => {
  expect(revenues([fact({ accession: '0000000001-24-000009', form: '10-Q/A' })])).toEqual([]);
});

test('a quarter in a yearly report is not the year, and a year in a quarterly report no quarter', () => {
  expect(revenues([fact({})], '10-K')).toEqual([]);
  expect(revenues([fact({ start: '2023-07-01' })])).toEqual([]);
  expect(revenues([fact({ start: '2023-07-01' })], '10-K/A')).toEqual([['year', '1']]);
});

test.each([
  ['52 weeks', '2023-07-03', 'year'],
  ['53 weeks', '2023-06-26', 'year'],
])('a year of %s is a year', (_name, start, period) => {
  expect(revenues([fact({ start })], '10-K')).toEqual([[period, '1']]);
});

function pickMetric(
  facts: readonly TaggedFact[],
  metric: Metric,
  over: Partial<ListedFiling> = {},
) {
  const picked = selectPeriodFacts(facts, { ...filing, ...over });
  const mine = picked.missing.filter((one) => one.metric === metric);
  return [
    ...picked.facts.filter((one) => one.metric === metric).map(({ value }) => value),
    ...mine.map(({ why, candidates }) => [why, ...candidates.map(({ value }) => value)]),
  ];
}

function tag(values: Readonly<Record<string, string>>, over: Partial<TaggedFact> = {}) {
  return Object.entries(values).map(([concept, value]) => fact({ concept, value, ...over }));
}

const CONTRACT = 'RevenueFromContractWithCustomerExcludingAssessedTax';

test('two values for one period are ambiguous: none is given, and both are named', () => {
  const two = [fact({ value: '1' }), fact({ value: '2' })];
  expect(pickMetric(two, 'revenue')).toEqual([['ambiguous', '1', '2']]);
  expect(pickMetric(two, 'net_income')).toEqual([['absent']]);
});

test.each([
  ['a lessor sells some services', { [CONTRACT]: '12', Revenues: '90' }, '90'],
  ['a broker nets its interest', { [CONTRACT]: '12', RevenuesNetOfInterestExpense: '70' }, '70'],
  ['a filer of the old rules', { SalesRevenueNet: '55' }, '55'],
  ['a filer by the international rules', { Revenue: '40' }, '40'],
  ['a shop has contracts alone', { [CONTRACT]: '33', NetIncomeLoss: '3' }, '33'],
  ['a small lease beside sales', { [CONTRACT]: '330', OperatingLeaseLeaseIncome: '3' }, '330'],
])('revenue is the whole of it: %s', (_name, values, expected) => {
  expect(pickMetric(tag(values), 'revenue')).toEqual([expected]);
});

test.each([
  [
    'a bank tags fees and interest',
    { [CONTRACT]: '620', InterestAndDividendIncomeOperating: '3000' },
  ],
  ['an insurer tags fees and premiums', { [CONTRACT]: '24', PremiumsEarnedNet: '700' }],
  ['contracts are more than the whole', { [CONTRACT]: '90', Revenues: '12' }],
  ['two totals', { Revenues: '90', RevenuesNetOfInterestExpense: '70' }],
  ['profit is more than revenue', { [CONTRACT]: '24', OperatingIncomeLoss: '61' }],
])('a revenue that nobody can tell is ambiguous and names its candidates: %s', (_name, values) => {
  const all = new Set(Object.values(values));
  const [found] = pickMetric(tag(values), 'revenue');
  expect([found?.[0], new Set(found?.slice(1))]).toEqual(['ambiguous', all]);
});

test('net income, equity and long-term debt are those of the whole company', () => {
  const income = tag({ NetIncomeLoss: '80', ProfitLoss: '85' });
  expect(pickMetric(income, 'net_income')).toEqual(['85']);
  expect(pickMetric(income, 'net_income_of_parent')).toEqual(['80']);
  expect(pickMetric(tag({ NetIncomeLoss: '80' }), 'net_income')).toEqual(['80']);
  expect(pickMetric(tag({ NetIncomeLoss: '80' }), 'net_income_of_parent')).toEqual([]);
  const day = { start: null };
  const debt = { LongTermDebtNoncurrent: '100', LongTermDebtCurrent: '40' };
  expect(pickMetric(tag({ LongTermDebt: '140', ...debt }, day), 'long_term_debt')).toEqual(['140']);
  expect(pickMetric(tag(debt, day), 'long_term_debt')).toEqual(['140']);
  expect(pickMetric(tag({ LongTermDebt: '150', ...debt }, day), 'long_term_debt')).toEqual([
    ['ambiguous', '150', '140'],
  ]);
  const whole = 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest';
  expect(pickMetric(tag({ StockholdersEquity: '9', [whole]: '12' }, day), 'equity')).toEqual([
    '12',
  ]);
});

test('a figure in whole thousands is the same figure, and one that only comes near is not', () => {
  const two = (value: string) =>
    tag({ NetIncomeLoss: '4123456' }).concat(fact({ concept: 'NetIncomeLoss', value }));
  expect(pickMetric(two('4123000'), 'net_income')).toEqual(['4123456']);
  expect(pickMetric(two('4124000'), 'net_income')).toEqual([['ambiguous', '4123456', '4124000']]);
  expect(pickMetric(two('4000000'), 'net_income')).toEqual([['ambiguous', '4123456', '4000000']]);
});

// Both days counted; a retailer's first quarter has 16 weeks, a brewer's last 17.
test.each([
  [12, 'quarter'],
  [13, 'quarter'],
  [14, 'quarter'],
  [16, 'quarter'],
  [17, 'quarter'],
  [24, 'year_to_date'],
  [28, 'year_to_date'],
  [40, 'year_to_date'],
])('%i weeks are a %s', (weeks, period) => {
  const start = new Date(Date.parse(filing.reportDate ?? '') - (weeks * 7 - 1) * 86_400_000);
  const over = { start: start.toISOString().slice(0, 10) };
  expect(revenues([fact(over)])).toEqual([[period, '1']]);
});

test('a fiscal period may end some days beside the date in the list, an earlier one is not it', () => {
  const year = { form: '10-K', reportDate: '2023-12-31' };
  const facts = [
    ...tag({ Revenues: '7', NetIncomeLoss: '2' }, { start: '2023-01-01', end: '2023-12-30' }),
    fact({ start: '2022-01-02', end: '2022-12-31', value: '6' }),
    fact({ concept: 'Assets', start: null, end: '2023-12-31', value: '5' }),
  ];
  expect(pickMetric(facts, 'revenue', year)).toEqual(['7']);
  const far = tag({ Revenues: '7' }, { start: '2022-12-12', end: '2023-12-10' });
  expect(pickMetric(far, 'revenue', year)).toEqual([['absent']]);
});
