import { expect, test } from 'vitest';
import { factsOfPeriod, type TaggedFact } from '../../../src/domain/filings/facts.ts';
import type { ListedFiling } from '../../../src/domain/filings/forms.ts';
import { sectionsOf } from '../../../src/domain/filings/sections.ts';

const filing: ListedFiling = {
  ...{ accession: '0000000001-24-000001', form: '10-Q', filingDate: '2024-08-01' },
  ...{ reportDate: '2024-06-30', acceptedAt: 0, items: [], primaryDocument: 'a.htm' },
};

function fact(over: Partial<TaggedFact>): TaggedFact {
  return {
    ...{ concept: 'Revenues', unit: 'USD', start: '2024-04-01', end: '2024-06-30', value: '1' },
    ...{ accession: filing.accession, form: '10-Q', filed: '2024-08-01', frame: null },
    ...over,
  };
}

function revenues(facts: readonly TaggedFact[], form = '10-Q') {
  return factsOfPeriod(facts, { ...filing, form }).facts.map(({ period, value }) => [
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

test('two values for one period are named as conflicting, and none is given', () => {
  const { facts, missing } = factsOfPeriod([fact({ value: '1' }), fact({ value: '2' })], filing);
  expect(facts).toEqual([]);
  expect(missing).toContainEqual({ metric: 'revenue', why: 'conflicting' });
  expect(missing).toContainEqual({ metric: 'net_income', why: 'absent' });
});

test('the usual tag goes first, and a later one counts only where it says nothing', () => {
  const usual = 'RevenueFromContractWithCustomerExcludingAssessedTax';
  const both = [fact({ value: '5' }), fact({ concept: usual, value: '7' })];
  expect(revenues(both)).toEqual([['quarter', '7']]);
});

const BODY = 'Words of a section that goes on for a while. '.repeat(8);

test('a reference to an item within a sentence does not end a section', () => {
  const text = `Item 1. Business\n${BODY}\nItem 7 of this report says more.\n${BODY}\nITEM 2.\nProperties\n${BODY}`;
  const sections = sectionsOf(text);
  expect(sections.map(({ item, title }) => [item, title])).toEqual([
    ['1', 'Business'],
    ['2', 'Properties'],
  ]);
  expect(sections[0]?.text).toContain('Item 7 of this report');
});

test('lines of a table of contents are no sections, and a text without items has none', () => {
  expect(sectionsOf('Item 1. Business 3\nItem 1A. Risk Factors 9\nItem 2. Properties 20')).toEqual(
    [],
  );
  expect(sectionsOf('')).toEqual([]);
});
