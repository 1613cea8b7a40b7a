import { expect, test } from 'vitest';
import { isQuoted } from '../../../src/domain/research/quotation.ts';
import { rankPassages } from '../../../src/domain/research/rank.ts';

test.each([
  ['grew by 12%', 'Revenue grew by 12% last year.', true],
  ['“grew”', 'it "grew" fast', true],
  ['grew by 1', 'grew by 12%', false],
  ['row by', 'grow by', false],
  ['grew by 13%', 'grew by 12%', false],
  ['', 'anything', false],
  ['金价上涨', '今天金价上涨了', true],
])('"%s" quoted from "%s": %s', (quote, text, expected) => {
  expect(isQuoted(quote, text)).toBe(expected);
});

test('the passage with the rare words of a question comes first, and one without any is left out', () => {
  const passages = ['Ships and cranes in port.', 'Ships sail.', 'Nothing here.'].map((text) => ({
    document: 'd',
    text,
    from: 0,
    to: text.length,
  }));
  expect(
    rankPassages(passages, 'What do the cranes and ships do?').map((one) => one.passage.text),
  ).toEqual(['Ships and cranes in port.', 'Ships sail.']);
});
