import { expect, test } from 'vitest';
import {
  HIT_SCORE,
  HITS_MAX,
  type ListedParty,
  ScreeningIndex,
} from '../../../src/domain/screening/screening-index.ts';

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

const GIVEN = 'Tamerlan Yevgeny Mustafa Abdelkarim Oleksandr Ruslan Hyun-woo Ignacio'.split(' ');
const MIDDLE = 'Ibragimovich Dmitrievich Hassan Suleiman Bohdanovych Mikhailovich Seok Ramon'.split(
  ' ',
);
const FAMILY =
  'Karatashev Zhuravlyov Benhalima Tawfiqi Petrychenko Vasilchuk Namgung Etxeberria'.split(' ');
const PEOPLE = GIVEN.flatMap((given, one) =>
  FAMILY.map((family, two) => [given, MIDDLE[(one + two) % 8], family].join(' ')),
);
const FIRMS = 'Zarqun Velmar Ostrovia Kimbala Durrani Halcyora Tumenex Bakhshir'
  .split(' ')
  .flatMap((word) => [`${word} Marine Services`, `${word} Petroleum Trading Company LLC`]);
const world = indexOf(...[...PEOPLE, ...FIRMS].map((name, at) => party(`w${at}`, name)));

function isFound(asked: string, listed: string) {
  return world.search([asked]).some(({ matched }) => matched === listed);
}

test('the first and last name of a person, and a firm less a word, are hits', () => {
  for (const name of PEOPLE) {
    const [first = '', , last = ''] = name.split(' ');
    expect(isFound(`${first} ${last}`, name), name).toBe(true);
    expect(isFound(`${last}, ${first}`, name), name).toBe(true);
    expect(isFound(`${first} Hypothetical ${name.slice(first.length + 1)}`, name), name).toBe(true);
  }
  for (const name of FIRMS) {
    const words = name.split(' ');
    expect(isFound(words.filter((_, at) => at !== 1).join(' '), name), name).toBe(true);
    expect(isFound(`New ${name} FZE`, name), name).toBe(true);
  }
});

test.each([
  ['Tamerlane Karatashov', 'Tamerlan Ibragimovich Karatashev'],
  ['Evgeny Karatashev', 'Yevgeny Dmitrievich Karatashev'],
  ['Moustafa Tawfiki', 'Mustafa Bohdanovych Tawfiqi'],
  ['Abdel Karim Benhalima', 'Abdelkarim Bohdanovych Benhalima'],
  ['Alexandr Petrichenko', 'Oleksandr Ibragimovich Petrychenko'],
  ['R. M. Vasilchuk', 'Ruslan Hassan Vasilchuk'],
  ['Zarkoun Marine', 'Zarqun Marine Services'],
])('%s is a hit on a list with %s', (asked, listed) => {
  const hits = world.search([asked]);
  const names = hits.map(({ matched }) => matched.split(' '));
  const [first = '', , last = ''] = listed.split(' ');
  expect(names.some((words) => words.includes(first) && words.includes(last))).toBe(true);
});

test('likely hits stand before possible ones, and each says which it is', () => {
  const index = indexOf(party('a', 'Anna Konstantinovna Testova'), party('b', 'Anna Testova'));
  const hits = index.search(['Anna Testova']);
  expect(hits.map(({ party: { id }, grade }) => [id, grade])).toEqual([
    ['b', 'likely'],
    ['a', 'possible'],
  ]);
});

test('common words, other people and single short names are no hits', () => {
  const others = ['General Trading Company', 'Marine Services', 'Petroleum Company', 'Ann Smith'];
  const more = ['John Karlsson', 'Maria Ivanova', 'Kim', 'Harbour Optics Ltd', 'Blue Ocean Marine'];
  for (const asked of [...others, ...more]) expect(world.search([asked]), asked).toEqual([]);
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
