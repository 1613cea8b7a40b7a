import { expect, test } from 'vitest';
import { z } from 'zod';
import type { SearchOrder } from '../../../src/domain/research/document-search.ts';
import { planQueries } from '../../../src/domain/research/plan.ts';
import { runInThread } from '../../../src/providers/data/run-in-thread.ts';
import { createEdgarFilings } from '../../../src/providers/filing/edgar.ts';
import { createArxivSearch } from '../../../src/providers/research/arxiv.ts';
import { parseAtomEntries } from '../../../src/providers/research/atom-entries.ts';
import { createCrossrefSearch } from '../../../src/providers/research/crossref.ts';
import { createFilingSearch, selectLines } from '../../../src/providers/research/filings.ts';
import { createHackerNewsSearch } from '../../../src/providers/research/hackernews.ts';
import { extractText } from '../../../src/providers/research/markup-text.ts';
import { createWikipediaSearch } from '../../../src/providers/research/wikipedia.ts';
import { realClock } from '../../support/real-clock.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';
import { CONTACT, type ReadingRig, readingRig } from '../../support/upstreams/reading-rig.ts';
import { fixturesOf } from '../../support/upstreams/upstream-server.ts';

const limits = () => ({ deadline: Date.now() + 20_000 });

function order(questions: string[] = [], topic = 'proof of stake'): SearchOrder {
  const request = { topic, questions, urls: [], depth: 'standard' as const };
  return { queries: planQueries(request), most: 5 };
}

test('Wikipedia names articles, and their text is read with its source', async () => {
  const rig = await readingRig();
  const search = createWikipediaSearch(rig.reader(), []);
  const { found, faults } = await search.search(order(), limits());
  expect(faults).toEqual([]);
  expect(found[0]).toEqual({
    url: 'https://en.wikipedia.org/wiki/Proof_of_stake',
    title: 'Proof of stake',
    publishedAt: null,
    body: null,
  });
  const [first] = found;
  if (first === undefined) throw new Error('nothing found');
  const reading = await search.read(first, limits());
  expect(reading).toMatchObject({ ok: true, source: { upstream: 'wikipedia', http_status: 200 } });
  expect(reading.ok && reading.value).toContain('== Mechanism ==');
  expect(rig.server.lastHeaders()['from']).toBe('operator@example.org');
});

test('an article that is gone is not found, and an answer without one is no payload', async () => {
  const rig = await readingRig();
  const search = createWikipediaSearch(rig.reader(), []);
  const path =
    fixturesOf('wikipedia').find((one) => one.path.includes('titles=Harbour'))?.path ?? '';
  const crane = { url: 'x', title: 'Harbour crane', publishedAt: null, body: null };
  rig.server.answer('wikipedia', path, { query: { pages: [{ title: 'x', missing: true }] } });
  expect(await search.read(crane, limits())).toMatchObject({ fault: { code: 'not_found' } });
  rig.server.answer('wikipedia', path, { query: {} });
  const again = createWikipediaSearch(rig.reader(), []);
  expect(await again.read(crane, limits())).toMatchObject({
    fault: { code: 'upstream_bad_payload' },
  });
});

test('Crossref gives abstracts as lines of words, with as much of a day as there is', async () => {
  const rig = await readingRig();
  const { found } = await createCrossrefSearch(rig.reader()).search(order(), limits());
  expect(found.map(({ url, publishedAt }) => [url, publishedAt])).toEqual([
    ['https://doi.org/10.5555/made.1', '2023-04'],
    ['https://doi.org/10.5555/made.2', null],
  ]);
  expect(found[0]?.body?.text.split('\n')).toEqual([
    'We study how rewards of proof of stake change with 1,200 validators.',
    expect.stringContaining('61% of it was in our data.'),
  ]);
  expect(found[0]?.body?.source.sha256).toBe(found[1]?.body?.source.sha256);
});

test('arXiv is asked for every word of the topic and one of the question, and gives abstracts', async () => {
  const rig = await readingRig();
  const { found, faults } = await createArxivSearch(rig.reader()).search(
    order(['What does a validator earn?']),
    limits(),
  );
  expect(found).toMatchObject([
    {
      url: 'https://arxiv.org/abs/2299.00001v1',
      publishedAt: '2022-09-01T10:00:00Z',
      title: 'Long-range attacks on proof of stake',
      body: { text: expect.stringContaining('Checkpoints & key evolution are compared') },
    },
  ]);
  // The second query has no fixture; what the first has found stays.
  expect(faults).toMatchObject([{ upstream: 'arxiv', code: 'upstream_bad_payload' }]);
  const [, second = ''] = rig.server.hits.filter((hit) => hit.startsWith('arxiv'));
  const asked = new URLSearchParams(second.slice(second.indexOf('?'))).get('search_query');
  expect(asked).toBe('all:proof AND all:stake AND (all:validator OR all:earn)');
});

test('an error that arXiv words as an entry is a fault', async () => {
  const rig = await readingRig();
  const [fixture] = fixturesOf('arxiv');
  const body = String(fixture?.body).replace('/abs/2299.00001v1', '/api/errors#bad');
  rig.server.answer('arxiv', fixture?.path ?? '', body);
  const { found, faults } = await createArxivSearch(rig.reader()).search(order(), limits());
  expect([found, faults.map(({ code }) => code)]).toEqual([[], ['upstream_bad_payload']]);
});

test('a feed that is none, or ends before its end, has no entries; fields of authors are not mixed in', async () => {
  expect(await parseAtomEntries('{"feed": 1}')).toBeUndefined();
  expect(await parseAtomEntries('<feed><entry><id>a</id>')).toBeUndefined();
  const entry = '<entry><id>a</id><title>T</title><author><title>B</title></author></entry>';
  expect(await parseAtomEntries(`<feed>${entry}</feed>`)).toEqual([
    { id: 'a', title: 'T', summary: '', published: '' },
  ]);
});

test('markup becomes words, a line for each paragraph, without titles, scripts and formulas', () => {
  const markup =
    '<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub>O &amp;\n more</jats:p>' +
    '<p>next<script>no()</script></p><tex-math>\\alpha</tex-math>';
  expect(extractText(markup)).toBe('H2O & more\nnext');
  const figures =
    '<p>at 10<sup>6</sup> m<sup>2</sup></p><table><tr><td>7</td><td>12</td></tr></table>';
  expect(extractText(figures)).toBe('at 10^6 m^2\n7 12');
});

async function readDocument(body: string) {
  const made = await runInThread(realClock, {
    program: { module: 'providers/filing/filing-worker.mjs', name: 'readDocument' },
    data: { body: new TextEncoder().encode(body), charsMax: 10_000 },
    answer: z.string(),
    timeMs: 60_000,
  });
  return 'value' in made ? made.value : made.why;
}

test('documents of filings keep the lines of plain text, and raised signs are readable', async () => {
  const plain = 'Item 1.  Business\n\nWe make glass.\nItem 2. Properties\nA mill & more.\n';
  const lines = 'Item 1. Business\nWe make glass.\nItem 2. Properties\nA mill & more.';
  expect(await readDocument(plain)).toBe(lines);
  expect(await readDocument(`<html><body><pre>${plain}</pre></body></html>`)).toBe(lines);
  const raised = '<p>Some 10<sup>6</sup> tonnes of CO<sub>2</sub>\nsince the 1<sup>st</sup></p>';
  expect(await readDocument(raised)).toBe('Some 10^6 tonnes of CO2 since the 1st');
});

function filingsOf(rig: ReadingRig) {
  const clock = hurriedClock(0.5);
  return createFilingSearch(createEdgarFilings({ reader: rig.reader(), clock, contact: CONTACT }));
}

test('filings that hold the topic are found, one of each filer, and the lines about it are read', async () => {
  const rig = await readingRig();
  const search = filingsOf(rig);
  const { found, faults } = await search.search(order(['What is at risk?']), limits());
  expect([found.length, faults]).toEqual([1, []]);
  const [first] = found;
  if (first === undefined) throw new Error('nothing found');
  expect(first).toMatchObject({ publishedAt: '2024-02-20', body: null, about: 'proof stake' });
  const reading = await search.read(first, limits());
  expect(reading).toMatchObject({
    ok: true,
    value: expect.stringMatching(/^We earn rewards on networks that use proof of stake[^\n]*$/),
    source: { upstream: 'secfiles', url: expect.stringContaining('/made-20231231.htm') },
  });
});

test('of a long topic the telling words are looked for, not the sentence', async () => {
  const rig = await readingRig();
  const topic = 'How do ports lift heavy containers with cranes?';
  const { faults } = await filingsOf(rig).search(order([], topic), limits());
  // No fixture answers it.
  expect(faults).toMatchObject([{ upstream: 'secsearch', code: 'not_found' }]);
  const [hit = ''] = rig.server.hits;
  const asked = new URLSearchParams(hit.slice(hit.indexOf('?')));
  expect(asked.get('q')).toBe('"ports" "lift" "heavy" "containers" "cranes"');
  expect(asked.get('dateRange')).toBeNull();
});

test.each([
  'https://www.sec.gov/Archives/edgar/data/1/000999990124000001/',
  'https://www.sec.gov/Archives/edgar/data/1/000999990124000001/../../x.htm',
  'https://evil.example/',
  '',
])('no filing is read at %s', async (url) => {
  const rig = await readingRig();
  const reading = await filingsOf(rig).read(
    { url, title: 'x', publishedAt: null, body: null },
    limits(),
  );
  expect(reading).toMatchObject({ fault: { code: 'not_found' } });
  expect(rig.server.hits).toEqual([]);
});

test('threads about the topic that somebody has answered are found, and read without names', async () => {
  const rig = await readingRig();
  const search = createHackerNewsSearch(rig.reader());
  const { found, faults } = await search.search(order(['What is at risk?']), limits());
  expect(faults).toEqual([]);
  expect(found).toEqual([
    {
      url: 'https://news.ycombinator.com/item?id=90000001',
      title: 'Proof of stake after two years',
      publishedAt: '2023-11-14T22:13:20.000Z',
      body: null,
    },
  ]);
  const [first] = found;
  if (first === undefined) throw new Error('nothing found');
  const reading = await search.read(first, limits());
  expect(reading.ok && reading.value.split('\n')).toEqual([
    expect.stringContaining('fined 3 times'),
    'Mine never was, but I keep two clocks for proof of stake.',
  ]);
  expect(JSON.stringify(reading)).not.toMatch(/user\d/);
});

test.each<[string, unknown, number, string]>([
  ['is gone', { error: 'x' }, 404, 'not_found'],
  ['has no words', { children: [] }, 200, 'not_found'],
  ['is none', { children: 7 }, 200, 'upstream_bad_payload'],
  ['is a list', [], 200, 'upstream_bad_payload'],
])('a thread that %s is a fault', async (_, body, status, code) => {
  const rig = await readingRig();
  rig.server.answer('hackernews', '/api/v1/items/90000001', body, status);
  const url = 'https://news.ycombinator.com/item?id=90000001';
  const found = { url, title: 'x', publishedAt: null, body: null };
  const reading = await createHackerNewsSearch(rig.reader()).read(found, limits());
  expect(reading).toMatchObject({ fault: { upstream: 'hackernews', code } });
});

test('of a long text the lines that hold most of the words stay; where none does, all of it', () => {
  const text = 'The ports lift.\nCranes of the port.\nA garden.';
  expect(selectLines(text, ['port', 'cranes'])).toBe('Cranes of the port.');
  expect(selectLines(text, ['ports'])).toBe('The ports lift.\nCranes of the port.');
  expect(selectLines(text, ['volcano'])).toBe(text);
  expect(selectLines(text, [])).toBe(text);
});
