import { expect, test } from 'vitest';
import type { DocumentOrder } from '../../../../src/domain/ports/document-search.ts';
import { queriesOf } from '../../../../src/domain/research/plan.ts';
import { arxiv } from '../../../../src/providers/data/documents/arxiv.ts';
import { atomEntries } from '../../../../src/providers/data/documents/atom-entries.ts';
import { crossref } from '../../../../src/providers/data/documents/crossref.ts';
import { markupText } from '../../../../src/providers/data/documents/markup-text.ts';
import { wikipedia } from '../../../../src/providers/data/documents/wikipedia.ts';
import { readingRig } from '../../../support/upstreams/reading-rig.ts';
import { fixturesOf } from '../../../support/upstreams/upstream-server.ts';

const limits = () => ({ deadline: Date.now() + 20_000 });

function order(questions: string[] = []): DocumentOrder {
  const request = { topic: 'proof of stake', questions, urls: [], depth: 'standard' as const };
  return { queries: queriesOf(request), most: 5 };
}

test('Wikipedia names articles, and their text is read with its source', async () => {
  const rig = await readingRig();
  const search = wikipedia(rig.reader(), []);
  const { found, faults } = await search.search(order(), limits());
  expect(faults).toEqual([]);
  expect(found[0]).toEqual({
    ...{ url: 'https://en.wikipedia.org/wiki/Proof_of_stake', title: 'Proof of stake' },
    ...{ publishedAt: null, body: null },
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
  const search = wikipedia(rig.reader(), []);
  const path =
    fixturesOf('wikipedia').find((one) => one.path.includes('titles=Harbour'))?.path ?? '';
  const crane = { url: 'x', title: 'Harbour crane', publishedAt: null, body: null };
  rig.server.answer('wikipedia', path, { query: { pages: [{ title: 'x', missing: true }] } });
  expect(await search.read(crane, limits())).toMatchObject({ fault: { code: 'not_found' } });
  rig.server.answer('wikipedia', path, { query: {} });
  const again = wikipedia(rig.reader(), []);
  expect(await again.read(crane, limits())).toMatchObject({
    fault: { code: 'upstream_bad_payload' },
  });
});

test('Crossref gives abstracts as lines of words, with as much of a day as there is', async () => {
  const rig = await readingRig();
  const { found } = await crossref(rig.reader()).search(order(), limits());
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
  const { found, faults } = await arxiv(rig.reader()).search(
    order(['What does a validator earn?']),
    limits(),
  );
  expect(found).toMatchObject([
    {
      ...{ url: 'https://arxiv.org/abs/2299.00001v1', publishedAt: '2022-09-01T10:00:00Z' },
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
  const { found, faults } = await arxiv(rig.reader()).search(order(), limits());
  expect([found, faults.map(({ code }) => code)]).toEqual([[], ['upstream_bad_payload']]);
});

test('a feed that is none, or ends before its end, has no entries; fields of authors are not mixed in', () => {
  expect(atomEntries('{"feed": 1}')).toBeUndefined();
  expect(atomEntries('<feed><entry><id>a</id>')).toBeUndefined();
  const entry = '<entry><id>a</id><title>T</title><author><title>B</title></author></entry>';
  expect(atomEntries(`<feed>${entry}</feed>`)).toEqual([
    { id: 'a', title: 'T', summary: '', published: '' },
  ]);
});

test('markup becomes words, a line for each paragraph, without titles, scripts and formulas', () => {
  const markup =
    '<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub>O &amp;\n more</jats:p>' +
    '<p>next<script>no()</script></p><tex-math>\\alpha</tex-math>';
  expect(markupText(markup)).toBe('H2O & more\nnext');
});
