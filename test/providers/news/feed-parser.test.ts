import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { FEED_ITEMS_MAX } from '../../../src/domain/news/feed.ts';
import { FeedParser, PARSE_QUEUE_MAX } from '../../../src/providers/news/feed-parser.ts';
import { realClock } from '../../support/real-clock.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';

const BASE = 'https://a.example/feed';
const parser = new FeedParser(realClock);
const channel = (inner: string, head = '') =>
  `<?xml version="1.0"?>${head}<rss version="2.0"><channel><title>T</title>${inner}</channel></rss>`;
const item = (title: string, more = '<link>https://a.example/1</link>') =>
  `<item><title>${title}</title>${more}</item>`;

async function read(text: string) {
  const made = await parser.parse(text, BASE);
  if ('fault' in made) throw new Error(made.why);
  return made.value;
}

test('RSS, Atom, RDF and JSON feeds are read alike', async () => {
  const link = 'https://a.example/x';
  const feeds = [
    channel(
      `<item><title>A &amp; B</title><link>${link}</link><pubDate>Mon, 06 Sep 2021 00:01:00 GMT</pubDate></item>`,
    ),
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>A &amp; B</title><link href="${link}"/><updated>2021-09-06T00:01:00Z</updated></entry></feed>`,
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>N</title></channel><item rdf:about="${link}"><title>A &amp; B</title><link>${link}</link><dc:date>2021-09-06T00:01:00Z</dc:date></item></rdf:RDF>`,
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'T',
      items: [{ id: '1', url: link, title: 'A & B', date_published: '2021-09-06T00:01:00Z' }],
    }),
  ];
  for (const feed of feeds) {
    const [first] = (await read(feed)).items;
    expect(first).toEqual({
      url: link,
      title: 'A & B',
      summary: '',
      publishedAt: 1_630_886_460_000,
    });
  }
});

test('of a summary what a reader sees is kept, and raised signs are readable', async () => {
  const body = [
    '<p style="font-size:0.9em">Load: 10<sup>6</sup> t.</p><p style="margin-left:-120px">Rest.</p>',
    '<p style="font-size:0">no</p><p style="position:absolute;left:-9999px">no</p>',
    '<p style="opacity:0">no</p><p aria-hidden="true">no</p><p style="color:#fff;background:white">no</p>',
  ].join('');
  const markup = `<link>https://a.example/1</link><description><![CDATA[${body}]]></description>`;
  const made = await read(channel(item('A', markup)));
  expect([made.items[0]?.summary, made.hiddenElements]).toEqual(['Load: 10^6 t. Rest.', 5]);
});

test.each([
  ['Tue, 05 Nov 2024 10:00:00 CET', '2024-11-05T09:00:00.000Z'],
  ['Tue, 05 Nov 2024 10:00:00 NZDT', '2024-11-04T21:00:00.000Z'],
  ['05 Sept 2024 10:00:00 BST', '2024-09-05T09:00:00.000Z'],
  ['2024-11-05 10:00:00', '2024-11-05T10:00:00.000Z'],
  ['2024-11-05T10:00:00', '2024-11-05T10:00:00.000Z'],
  ['Tue, 05 Nov 2024 10:00:00', '2024-11-05T10:00:00.000Z'],
  ['11/05/2024 10:00', null],
  ['soon', null],
])('the date %s is %s', async (date, expected) => {
  const made = await read(channel(item('A', `<link>/x</link><pubDate>${date}</pubDate>`)));
  const at = made.items[0]?.publishedAt ?? null;
  expect(at === null ? null : new Date(at).toISOString()).toBe(expected);
});

test('a feed names where its links start, and what its host appends is not of it', async () => {
  const entry = (base: string) =>
    `<entry ${base}><title>A</title><link href="a.html"/><updated>2021-09-06T00:01:00Z</updated></entry>`;
  const atom = (base: string, inner: string) =>
    `<feed ${base} xmlns="http://www.w3.org/2005/Atom"><title>T</title>${inner}</feed><script>x()</script>`;
  const own = 'xml:base="https://b.example/2024/"';
  for (const feed of [atom(own, entry('')), atom('', entry(own))]) {
    expect((await read(feed)).items[0]?.url).toBe('https://b.example/2024/a.html');
  }
  expect(await parser.parse('<rss><channel><item>', BASE)).toMatchObject({
    why: 'The feed is cut off.',
  });
});

test('links are made whole, and only those of the web are given', async () => {
  const made = await read(
    channel(
      [
        item('relative', '<link>/x</link>'),
        item('script', '<link>javascript:alert(1)</link>'),
        item('file', '<link>file:///etc/passwd</link>'),
        item('name', '<guid isPermaLink="false">tag:1</guid>'),
      ].join(''),
    ),
  );
  expect(made.items.map(({ url }) => url)).toEqual(['https://a.example/x']);
});

test('no more entries and characters are given than allowed', async () => {
  const long = item(
    't'.repeat(5_000),
    `<link>/1</link><description>${'d '.repeat(9_000)}</description>`,
  );
  const made = await read(channel(long.repeat(FEED_ITEMS_MAX + 50)));
  expect(made.items).toHaveLength(FEED_ITEMS_MAX);
  expect(made.items[0]?.title.length).toBe(300);
  expect(made.items[0]?.summary.length).toBeLessThanOrEqual(600);
});

const laughs = Array.from(
  { length: 10 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('');
const ATTACKS: readonly (readonly [string, string, string])[] = [
  [
    'expands entities',
    channel(item('&l9;'), `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>`),
    'upstream_bad_payload',
  ],
  [
    'reads a file',
    channel(item('&f;'), '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
    'upstream_bad_payload',
  ],
  [
    'loads a definition',
    channel(item('a'), '<!DOCTYPE x [<!entity % p SYSTEM "http://169.254.169.254/">%p;]>'),
    'upstream_bad_payload',
  ],
  ['nests 100,000 elements', channel('<a>'.repeat(100_000)), 'too_deep'],
  [
    'nests 100,000 elements inside an item',
    channel(item(`<b>${'<x>'.repeat(100_000)}`)),
    'too_deep',
  ],
  ['has 100,000 elements', channel(item('a').repeat(50_000)), 'too_large'],
  [
    'nests lists of JSON',
    `{"version":"https://jsonfeed.org/version/1.1","items":${'['.repeat(200_000)}`,
    'too_deep',
  ],
  ['is cut off', channel(item('a')).slice(0, -20), 'upstream_bad_payload'],
  ['is a page', '<!doctype html><html><rssx></rssx></html>', 'upstream_bad_payload'],
  ['is empty', '', 'upstream_bad_payload'],
  ['is binary', '\u0000\u0001\u0002'.repeat(1_000), 'upstream_bad_payload'],
];

test.each(ATTACKS)('a feed that %s is refused', async (_what, text, code) => {
  const made = await parser.parse(text, BASE);
  expect('fault' in made ? made.fault : 'read').toBe(code);
});

const READ: readonly (readonly [string, string])[] = [
  [
    'has one entry of 3 MB',
    channel(
      item('a', `<link>/1</link><description>${'x &lt;p&gt; '.repeat(250_000)}</description>`),
    ),
  ],
  [
    'has 3 MB of CDATA ends',
    channel(
      item('a', `<link>/1</link><description><![CDATA[${']]'.repeat(1_500_000)}]]></description>`),
    ),
  ],
  ['has 100,000 attributes', channel(item('a', `<link>/1</link><x ${'a="1" '.repeat(100_000)}/>`))],
  [
    'has pages of 20,000 levels in a summary',
    channel(item('a', `<link>/1</link><description>${'&lt;div&gt;'.repeat(20_000)}</description>`)),
  ],
  [
    'names members of all objects',
    channel(item('a', '<link>/1</link><__proto__>x</__proto__><constructor>y</constructor>')),
  ],
  [
    'never closes a comment',
    `${channel(item('a')).replace('</channel>', '</channel>')}<!-- ${'-'.repeat(100)} -->`,
  ],
];

test.each(READ)(
  'a feed that %s is read or refused in time, and the server stays responsive',
  async (_what, text) => {
    const lag = monitorEventLoopDelay({ resolution: 10 });
    lag.enable();
    const made = await parser.parse(text, BASE);
    lag.disable();
    if ('fault' in made) expect(made.fault).toBe('upstream_bad_payload');
    else expect(made.value.items.length).toBeLessThanOrEqual(1);
    // It is read in a thread of its own; this one only hands it over.
    expect(lag.max / 1e6).toBeLessThan(3_000);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  },
);

test('a feed whose time is up is given up, and the next one is read by another thread', async () => {
  const hurried = new FeedParser(hurriedClock(1_000));
  const late = await hurried.parse(channel(item('a')), BASE);
  expect(late).toMatchObject({ fault: 'upstream_bad_payload' });
  expect((await read(channel(item('a')))).items).toHaveLength(1);
});

test('more feeds than may wait are refused, and the others are read', async () => {
  const many = PARSE_QUEUE_MAX + 20;
  const made = await Promise.all(
    Array.from({ length: many }, () => parser.parse(channel(item('a')), BASE)),
  );
  const refused = made.filter((one) => 'fault' in one);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every((one) => 'fault' in one && one.fault === 'upstream_unavailable')).toBe(true);
  expect(made.length - refused.length).toBeGreaterThanOrEqual(PARSE_QUEUE_MAX);
});
