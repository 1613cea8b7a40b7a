import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { detectFormat, parseCues } from '../../../src/domain/video/cues.ts';
import { FeedParser } from '../../../src/providers/news/feed-parser.ts';
import { realClock } from '../../support/real-clock.ts';

// Expected values were read out of the bodies by a person, not by a program.
const FOLDER = join(import.meta.dirname, '../../fixtures/recorded');
const parser = new FeedParser(realClock);

function bodyOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

async function readFeed(name: string, url: string) {
  const made = await parser.parse(bodyOf(name), url);
  if ('fault' in made) throw new Error(made.why);
  return made.value.items.map(({ publishedAt, ...item }) => ({
    ...item,
    at: publishedAt === null ? null : new Date(publishedAt).toISOString(),
  }));
}

test('an RSS 2.0 feed is read; an item without a title is left out', async () => {
  const items = await readFeed('feedparser/rss2sample.xml', 'http://liftoff.msfc.nasa.gov/rss');
  expect(items.map(({ title, url, at }) => [title, url, at])).toEqual([
    [
      'Star City',
      'http://liftoff.msfc.nasa.gov/news/2003/news-starcity.asp',
      '2003-06-03T09:39:21.000Z',
    ],
    [
      'The Engine That Does More',
      'http://liftoff.msfc.nasa.gov/news/2003/news-VASIMR.asp',
      '2003-05-27T08:37:32.000Z',
    ],
    [
      "Astronauts' Dirty Laundry",
      'http://liftoff.msfc.nasa.gov/news/2003/news-laundry.asp',
      '2003-05-20T08:56:02.000Z',
    ],
  ]);
  expect(items[0]?.summary).toBe(
    'How do Americans get ready to work with Russians aboard the International Space Station? ' +
      "They take a crash course in culture, language and protocol at Russia's Star City.",
  );
});

test('a blog in Atom: links are relative to the feed, replies are no links of entries', async () => {
  const feed = 'http://intertwingly.net/blog/index.atom';
  const items = await readFeed('feedparser/intertwingly.atom', feed);
  expect(items).toHaveLength(20);
  expect(items.slice(0, 2).map(({ title, url, at }) => [title, url, at])).toEqual([
    [
      'Inhibiting Suspend',
      'http://intertwingly.net/blog/2012/07/16/Inhibiting-Suspend',
      '2012-07-16T15:48:01.000Z',
    ],
    ['utf8mb4', 'http://intertwingly.net/blog/2012/07/10/utf8mb4', '2012-07-10T17:55:32.000Z'],
  ]);
  const last = items.at(-1);
  expect([last?.title, last?.url, last?.at]).toEqual([
    'Default to Incognito',
    'http://intertwingly.net/blog/2012/02/04/Default-to-Incognito',
    '2012-02-04T21:54:53.000Z',
  ]);
  expect(items[0]?.summary).toMatch(/^The interface is a bit low level, but workable:/);
  expect(items[4]?.title).toBe('Twitter -= #!');
});

const LIST =
  'For information, see: Who knows an XML document from a hole in the ground? ' +
  'More on Atom aggregator XML namespace conformance tests XML Namespace Conformance Tests';

test.each([
  [
    'nondefaultnamespace.atom',
    'If you can read the content of this entry, your aggregator works fine.',
  ],
  [
    'nondefaultnamespace-xhtml.atom',
    'If you can read the content of this entry, and it has a list and links, your aggregator works fine.',
  ],
])('names with a prefix of their own are read as any others: %s', async (name, title) => {
  expect(await readFeed(`feedparser/${name}`, 'http://example.org/feed')).toEqual([
    {
      title,
      url: 'http://example.org/tests/namespace/result.html',
      summary: LIST,
      at: '2006-01-18T11:26:54.000Z',
    },
  ]);
});

test('an entry may have a prefix that its feed has not', async () => {
  expect(await readFeed('feedparser/complexNamespaceFeed.xml', 'http://localhost/feed')).toEqual([
    {
      title: 'This is the title',
      url: 'http://localhost:8080/namespace/feed/entries/urn:uuid:d5ffaea2-0a9a-4f38-98fc-5c364177b6b4',
      summary: 'Hello World',
      at: '2012-08-04T01:29:34.677Z',
    },
  ]);
});

test('releases of a repository are read with their times in UTC', async () => {
  const items = await readFeed(
    'rss-parser/gulp-atom.atom',
    'https://github.com/gulpjs/gulp/releases.atom',
  );
  expect(items).toHaveLength(10);
  expect([items[0], items[9]]).toEqual([
    {
      title: 'v3.9.0',
      url: 'https://github.com/gulpjs/gulp/releases/tag/v3.9.0',
      summary: '3.9.0',
      at: '2015-06-01T21:49:41.000Z',
    },
    {
      title: 'v3.8.3',
      url: 'https://github.com/gulpjs/gulp/releases/tag/v3.8.3',
      summary: '3.8.3',
      at: '2014-06-26T21:17:51.000Z',
    },
  ]);
});

test('WebVTT with notes, a style and names of cues gives the words alone', () => {
  const text = bodyOf('subsrt/sample.vtt');
  expect(detectFormat(text)).toBe('vtt');
  expect(
    parseCues(text, 'vtt').map(({ startMs, endMs, text: said }) => [startMs, endMs, said]),
  ).toEqual([
    [
      1_000,
      4_000,
      "— Hi, my name is Alice Miller and this is John Brown. — And we're the owners of Miller Bakery.",
    ],
    [5_000, 9_000, "Today we'll be teaching you how to make our famous chocolate chip cookies!"],
    [20_000, 22_000, 'This is a test.'],
    [22_000, 24_000, 'That’s an, an, that’s an L!'],
    [24_000, 30_000, 'Okay, so we have all the ingredients laid out here'],
  ]);
});

test('SRT is read with the marks of its speakers', () => {
  const text = bodyOf('subsrt/sample.srt');
  expect(detectFormat(text)).toBe('srt');
  expect(
    parseCues(text, 'srt').map(({ startMs, endMs, text: said }) => [startMs, endMs, said]),
  ).toEqual([
    [599, 4_160, '>> ALICE: Hi, my name is Alice Miller and this is John Brown'],
    [4_160, 6_770, ">> JOHN: and we're the owners of Miller Bakery."],
    [
      6_770,
      10_880,
      ">> ALICE: Today we'll be teaching you how to make our famous chocolate chip cookies!",
    ],
    [10_880, 16_700, '[intro music]'],
    [16_700, 21_480, 'Okay, so we have all the ingredients laid out here'],
  ]);
});
