import { expect, test } from 'vitest';
import {
  HIT_SCORE,
  HITS_MAX,
  type ListedParty,
  ScreeningIndex,
} from '../../../src/domain/sanctions/screen.ts';

function party(id: string, ...names: readonly string[]): ListedParty {
  return { id, list: 'List A', kind: 'Entity', names, programs: [], countries: [] };
}

function indexOf(...parties: readonly ListedParty[]): ScreeningIndex {
  const index = new ScreeningIndex();
  for (const one of parties) index.add(one);
  return index;
}

test.each([
  ['Made Up Shipping Co., Ltd.', 'MADE UP SHIPPING COMPANY LIMITED'],
  ['shipping made up', 'MADE UP SHIPPING COMPANY LIMITED'],
  ['Made Up Shiping Ltd', 'MADE UP SHIPPING COMPANY LIMITED'],
  ['Sea of Nothing Lines', 'SEA OF NOTHING LINES'],
  ['More Nichego', 'МОРЕ НИЧЕГО'],
])('%s is found on the list as %s', (asked, matched) => {
  const listed = party(
    'a',
    'MADE UP SHIPPING COMPANY LIMITED',
    'SEA OF NOTHING LINES',
    'МОРЕ НИЧЕГО',
  );
  const [hit] = indexOf(party('b', 'Invented Optics'), listed).search([asked]);
  expect([hit?.party.id, hit?.matched]).toEqual(['a', matched]);
  expect(hit?.match.score).toBeGreaterThanOrEqual(HIT_SCORE);
});

test('a name that only begins alike, or shares one word, is no hit', () => {
  const index = indexOf(party('a', 'Made Up Shipping Company'), party('b', 'Norsk Hydro'));
  for (const asked of ['Made Up Works', 'Shipping Partners', 'Norsk Fisk', 'Ma']) {
    expect(index.search([asked]), asked).toEqual([]);
  }
});

test('a party is told once, under the name that fits best, the likest party first', () => {
  const index = indexOf(
    party('a', 'Made Up Shiping'),
    party('b', 'Made Up Ships', 'Made Up Shipping'),
  );
  const hits = index.search(['Made Up Shipping', 'Made Up Shippings']);
  expect(hits.map(({ party: { id }, matched }) => [id, matched])).toEqual([
    ['b', 'Made Up Shipping'],
    ['a', 'Made Up Shiping'],
  ]);
});

test('hits are bounded, and lists are counted by party', () => {
  const many = Array.from({ length: HITS_MAX + 5 }, (_, at) => party(`p${at}`, 'Made Up Shipping'));
  const index = indexOf(...many);
  expect(index.search(['Made Up Shipping'])).toHaveLength(20);
  expect([...index.lists]).toEqual([['List A', 25]]);
});
