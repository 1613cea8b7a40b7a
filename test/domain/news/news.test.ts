import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  comparePageKeys,
  type Page,
  type PageCursor,
  type PageKey,
  parseCursor,
  slicePage,
} from '../../../src/domain/news/page.ts';
import { canonicalizeUrl, groupStories } from '../../../src/domain/news/story.ts';
import { matchesTopic, parseTopic, stemWord } from '../../../src/domain/news/topic.ts';

const place = fc.record({
  at: fc.integer({ min: 0, max: 20 }),
  id: fc.integer({ min: 0, max: 0xffff }).map((one) => one.toString(16)),
});
const places = fc.uniqueArray(place, { selector: ({ at, id }) => `${at} ${id}`, maxLength: 60 });

function walk(items: readonly PageKey[], limit: number): readonly PageKey[] {
  const found: PageKey[] = [];
  let cursor: string | null = null;
  for (let rounds = 0; rounds < 100; rounds += 1) {
    const mark: PageCursor | undefined = cursor === null ? undefined : parseCursor(cursor, 'q');
    const page: Page<PageKey> = slicePage(items, (one) => one, {
      limit,
      mark,
      until: 7,
      question: 'q',
    });
    found.push(...page.items);
    if (page.next === null) return found;
    cursor = page.next;
  }
  return found;
}

test('pages together are the list, each item once and in order, whatever the size', () => {
  fc.assert(
    fc.property(places, fc.integer({ min: 1, max: 10 }), (made, limit) => {
      const items = [...made].sort(comparePageKeys);
      expect(walk(items, limit)).toEqual(items);
    }),
  );
});

test('an item that comes in ahead of a mark does not shift what follows', () => {
  fc.assert(
    fc.property(places, place, (made, late) => {
      fc.pre(made.length > 4 && !made.some(({ at, id }) => at === late.at && id === late.id));
      const items = [...made].sort(comparePageKeys);
      const cut = { limit: 3, until: 7, question: 'q' };
      const first = slicePage(items, (one) => one, { ...cut, mark: undefined });
      const mark = parseCursor(first.next ?? '', 'q');
      const grown = [...items, late].sort(comparePageKeys);
      const second = slicePage(grown, (one) => one, { ...cut, mark });
      const isBehind = comparePageKeys(late, mark) > 0;
      const rest = isBehind
        ? grown.filter((one) => comparePageKeys(one, mark) > 0)
        : items.slice(3);
      expect(second.items).toEqual(rest.slice(0, 3));
    }),
  );
});

test('a mark says the end of its window and is of one question only', () => {
  const items = [3, 2, 1].map((at) => ({ at, id: 'a' }));
  const { next } = slicePage(items, (one) => one, {
    limit: 1,
    mark: undefined,
    until: 99,
    question: 'one',
  });
  expect(parseCursor(next ?? '', 'one')).toEqual({ until: 99, at: 3, id: 'a' });
  expect(() => parseCursor(next ?? '', 'other')).toThrow('belongs to a different request');
  expect(() => parseCursor(`${next}x`, 'one')).toThrow('belongs to a different request');
});

const report = fc.record({
  domain: fc.constantFrom('a.example', 'b.example', 'c.example'),
  url: fc.integer({ min: 0, max: 9 }).map((one) => `https://x.example/${one}`),
  title: fc
    .array(
      fc.constantFrom('bank', 'raises', 'rates', 'again', 'flood', 'north', 'bridge', 'open'),
      {
        maxLength: 7,
      },
    )
    .map((words) => words.join(' ')),
  publishedAt: fc.integer({ min: 0, max: 200_000_000 }),
});

test('joining loses no report, tells none twice, leads with the earliest, whatever the order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(report, { selector: (one) => JSON.stringify(one) }), (made) => {
      const stories = groupStories(made);
      const told = stories.flatMap(({ lead, others }) => [lead, ...others]);
      expect(told).toHaveLength(made.length);
      expect(new Set(told)).toEqual(new Set(made));
      for (const { lead, others } of stories) {
        for (const other of others)
          expect(other.publishedAt).toBeGreaterThanOrEqual(lead.publishedAt);
      }
      const leads = (all: typeof stories) => all.map(({ id }) => id).sort();
      const isTied =
        new Set(made.map(({ url, publishedAt }) => `${url} ${publishedAt}`)).size < made.length;
      if (!isTied) expect(leads(groupStories([...made].reverse()))).toEqual(leads(stories));
    }),
  );
});

test('short headlines, and reports three days apart, are joined by address alone', () => {
  const make = (title: string, url: string, publishedAt = 0) => ({
    domain: 'a.example',
    title,
    url,
    publishedAt,
  });
  const short = [make('Live updates', 'https://a/1'), make('Live updates', 'https://a/2')];
  expect(groupStories(short)).toHaveLength(2);
  const title = 'Storm closes the northern bridge again';
  const apart = [make(title, 'https://a/1'), make(title, 'https://a/2', 3 * 86_400_000)];
  expect(groupStories(apart)).toHaveLength(2);
  expect(groupStories([make(title, 'https://a/1'), make(title, 'https://a/2', 1)])).toHaveLength(1);
});

test('marks of visitors do not make another page, other parameters do', () => {
  expect(canonicalizeUrl('https://www.a.example/x/?utm_source=y&b=2&a=1#top')).toBe(
    'a.example/x?a=1&b=2',
  );
  expect(canonicalizeUrl('https://a.example/x?id=1')).not.toBe(
    canonicalizeUrl('https://a.example/x?id=2'),
  );
});

test.each([
  ['tariffs', 'A tariff on steel', true],
  ['tariff', "The tariffs' end", true],
  ['US tariffs', 'Tariffs of the US', true],
  ['art', 'A party starts', false],
  ['bank', 'Banking on it', false],
  ['"interest rate"', 'An interest rate decision', true],
  ['"interest rate"', 'Rate of interest', false],
  ['Fed', 'Fed\u2019s decision', true],
  ['央行', '中国央行宣布降准', true],
  ['ＢＩＴＣＯＩＮ', 'bitcoin rises', true],
  ['C++', 'c is a language', true],
])('topic %s in "%s": %s', (topic, text, expected) => {
  expect(matchesTopic(text, parseTopic(topic))).toBe(expected);
});

test('a plural is joined to its word, and words that end so anyhow are left', () => {
  expect(
    ['banks', 'companies', 'crashes', 'boxes', 'virus', 'analysis', 'glass'].map(stemWord),
  ).toEqual([...['bank', 'company', 'crash', 'box', 'virus', 'analysis', 'glass']]);
});
