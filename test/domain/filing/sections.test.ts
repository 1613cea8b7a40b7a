import { expect, test } from 'vitest';
import { matchesItem, splitSections } from '../../../src/domain/filing/sections.ts';

const BODY = 'Words of a section that goes on for a while. '.repeat(8);

function join(...lines: readonly string[]) {
  return lines.join('\n');
}

function names(text: string) {
  return splitSections(text).map(({ part, item, title }) => [part, item, title]);
}

test('both parts of a quarterly report keep their items, with and without lines of parts', () => {
  const first = ['Item 1. Financial Statements', BODY, 'Item 2.', 'Management’s Discussion', BODY];
  const second = ['Item 1. Legal Proceedings', BODY, 'Item 1A. Risk Factors', 'No change.'];
  const last = ['Item 2. Unregistered Sales of Equity Securities', BODY, 'Item 6. Exhibits', BODY];
  const expected = [
    ['I', '1', 'Financial Statements'],
    ['I', '2', 'Management’s Discussion'],
    ['II', '1', 'Legal Proceedings'],
    ['II', '1A', 'Risk Factors'],
    ['II', '2', 'Unregistered Sales of Equity Securities'],
    ['II', '6', 'Exhibits'],
  ];
  const contents = ['PART I', 'Item 1. Financial Statements 3', 'PART II', 'Item 6. Exhibits 40'];
  const parted = [...contents, 'PART I – FINANCIAL INFORMATION', ...first, 'PART II', ...second];
  expect(names(join(...parted, ...last))).toEqual(expected);
  expect(names(join(...first, ...second, ...last))).toEqual(expected);
  const sections = splitSections(join(...parted, ...last));
  const found = (asked: string) => sections.filter((one) => matchesItem(one, asked)).length;
  expect(['1', 'I.1', 'II.1', 'II.1A', 'I.1A', '7'].map(found)).toEqual([2, 1, 1, 1, 0, 0]);
});

test('a part that each page names again ends no section', () => {
  const text = join('PART II', 'Item 7. MD&A', BODY, 'PART II', BODY, 'Item 8. Statements', BODY);
  const [discussion] = splitSections(text);
  expect(discussion?.text).toBe(join(BODY, 'PART II', BODY).trim());
});

test.each([
  ['Items 1 and 2. Business and Properties', ['1', '2']],
  ['ITEMS 1 & 2 – BUSINESS AND PROPERTIES', ['1', '2']],
  ['Item 1. and Item 2. Business and Properties', ['1', '2']],
  ['Items 7, 7A and 8. Discussion, Market Risk and Statements', ['7', '7A', '8']],
  ['Item 7/7A: Management’s Discussion', ['7', '7A']],
  ['Items 10 through 14. Directors, Compensation and Ownership', ['10', '11', '12', '13', '14']],
  ['Items 10-12. Directors', ['10', '11', '12']],
])('one section of several items has them all: %s', (head, items) => {
  const [section] = splitSections(join(head, BODY, 'Item 15. Exhibits', BODY));
  expect(section?.items).toEqual(items);
  expect(items.every((item) => section !== undefined && matchesItem(section, item))).toBe(true);
});

test.each(['16A', '16D', '16F', '16J', '16K', '4A', '12'])('item %s of a 20-F', (item) => {
  const text = join(`ITEM ${item}. CODE OF ETHICS`, BODY, 'ITEM 17. FINANCIAL STATEMENTS', BODY);
  expect(names(text)[0]).toEqual([null, item, 'CODE OF ETHICS']);
});

test.each([
  'Item 1A. Risk Factors of our last annual report describes what may go wrong.',
  'Item 1A “Risk Factors” and Item 7 “Discussion” speak of this at length.',
  'Item 1A. Risk Factors and Item 7 of the report, which we filed in March, speak of this.',
  'Item 1A, Risk Factors, names more dangers.',
  'Item 1A and the notes say more about every one of these dangers.',
  'Item 1A describes the dangers of glass.',
  'Items 1A and 7 of our report describe the dangers of glass.',
])('a line that only names an item does not replace it: %s', (line) => {
  const long = BODY.repeat(9);
  const own = ['Item 1A. Risk Factors', BODY, 'Item 7. Discussion', BODY, line, long];
  const sections = splitSections(join(...own, 'Item 8. Financial Statements', BODY));
  expect(sections.map(({ item }) => item)).toEqual(['1A', '7', '8']);
  expect(sections[1]?.text).toBe(join(BODY, line, long).trim());
});

test('a line that goes on with an item names it only', () => {
  const text = join(
    'Item 7. Discussion',
    BODY,
    'More of this stands in',
    'Item 1A. Risk Factors.',
    BODY,
  );
  expect(names(text)).toEqual([[null, '7', 'Discussion']]);
});

test('short sections are kept, also on the line of their head, and lines of contents are not', () => {
  const text = join(
    ...['Item 3. Legal Proceedings 12', 'Item 4. Mine Safety', '13', 'Item 5. Market', 'ii'],
    ...['Item 3. Legal Proceedings. None.', 'Item 4. Mine Safety Disclosures', 'Not applicable.'],
    ...['Item 8. Financial statements and supplementary data', 'They stand under Item 15.'],
    ...['Item 15. Exhibits', BODY],
  );
  expect(splitSections(text).map(({ item, text: own }) => [item, own])).toEqual([
    ['3', 'None.'],
    ['4', 'Not applicable.'],
    ['8', 'They stand under Item 15.'],
    ['15', BODY.trim()],
  ]);
});

test('a reference to an item within a sentence does not end a section', () => {
  const text = `Item 1. Business\n${BODY}\nItem 7 of this report says more.\n${BODY}\nITEM 2.\nProperties\n${BODY}`;
  const sections = splitSections(text);
  expect(sections.map(({ item, title }) => [item, title])).toEqual([
    ['1', 'Business'],
    ['2', 'Properties'],
  ]);
  expect(sections[0]?.text).toContain('Item 7 of this report');
});

test('lines of a table of contents are no sections, and a text without items has none', () => {
  expect(
    splitSections('Item 1. Business 3\nItem 1A. Risk Factors 9\nItem 2. Properties 20'),
  ).toEqual([]);
  expect(splitSections('')).toEqual([]);
});
