import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { FilingsReport } from '../../../src/domain/filing/report.ts';
import { createEdgarFilings } from '../../../src/providers/filing/edgar.ts';
import { edgarFilingTool } from '../../../src/tools/filing/data_sec-edgar-filing.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { CONTACT, type ReadingRig, readingRig } from '../../support/upstreams/reading-rig.ts';
import { fixturesOf } from '../../support/upstreams/upstream-server.ts';

interface Answer {
  readonly completeness: string;
  readonly data: FilingsReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
  readonly sources: readonly { readonly id: string; readonly url: string }[];
}

async function bought(rig: ReadingRig, args: object, fault?: UpstreamFault) {
  const filings = createEdgarFilings({
    reader: rig.reader(fault),
    clock: realClock,
    contact: CONTACT,
  });
  const sold = await sellTool((trust) => edgarFilingTool({ trust, clock: realClock, filings }));
  const outcome = await sold.buy(args);
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged() };
}

const YEAR = '0000320193-23-000106';
const QUARTER = '0000320193-23-000077';

function figures(report: FilingsReport | null, accession: string, metric: string) {
  const filing = report?.filings.find((one) => one.accession === accession);
  return filing?.facts
    ?.filter((fact) => fact.metric === metric)
    .map((fact) => [fact.period, fact.duration_days, fact.figure.value, fact.figure.unit]);
}

// Golden: Apple Inc., Form 10-K for the year ended 2023-09-30 and Form 10-Q for the quarter ended
// 2023-07-01, consolidated statements. Both repeat figures of earlier periods beside their own.
test('figures are those of the period that a filing reports on, with its days', async () => {
  proves('C4.3.t10');
  const { answer, charged } = await bought(await readingRig(), { ticker: 'aapl' });
  expect(figures(answer.data, YEAR, 'revenue')).toEqual([['year', 371, '383285000000', 'USD']]);
  expect(figures(answer.data, YEAR, 'net_income')).toEqual([['year', 371, '96995000000', 'USD']]);
  expect(figures(answer.data, YEAR, 'earnings_per_share_diluted')).toEqual([
    ['year', 371, '6.13', 'USD/shares'],
  ]);
  expect(figures(answer.data, YEAR, 'total_assets')).toEqual([
    ['instant', null, '352583000000', 'USD'],
  ]);
  expect(figures(answer.data, YEAR, 'retained_earnings')?.[0]?.[2]).toBe('-214000000');
  expect(figures(answer.data, QUARTER, 'revenue')).toEqual([
    ['year_to_date', 280, '293787000000', 'USD'],
    ['quarter', 91, '81797000000', 'USD'],
  ]);
  expect(answer.data?.filer).toMatchObject({ cik: '0000320193', fiscal_year_end: '0930' });
  expect([answer.completeness, charged]).toEqual(['full', 50_000n]);
});

test('the hash is of the exact bytes of the document, as its source says', async () => {
  const { answer } = await bought(await readingRig(), { cik: '320193', limit: 1 });
  const url = '/Archives/edgar/data/320193/000032019323000106/aapl-20230930.htm';
  const fixture = fixturesOf('secfiles').find(({ path }) => path === url);
  const hash = createHash('sha256').update(String(fixture?.body)).digest('hex');
  const [filing] = answer.data?.filings ?? [];
  expect(filing?.document).toMatchObject({ sha256: hash, url: `https://www.sec.gov${url}` });
  // The statement covers the hash of every source; envelopeFaults holds it to them.
  const cited = answer.sources.find(({ id }) => id === filing?.document?.cited);
  expect(cited).toMatchObject({ sha256: hash });
  expect(filing?.accepted_at).toBe('2023-11-02T18:08:27.000Z');
});

test('sections are found past the table of contents, marked as a stranger’s, without hidden text', async () => {
  const { answer } = await bought(await readingRig(), {
    cik: '320193',
    limit: 1,
    include: ['sections'],
    items: ['1A', '7'],
  });
  const [filing] = answer.data?.filings ?? [];
  expect(filing?.sections?.map(({ item, title }) => [item, title])).toEqual([
    ['1A', 'Risk Factors'],
    ['7', 'Management’s Discussion and Analysis'],
  ]);
  const [risks] = filing?.sections ?? [];
  expect(risks?.text).toMatch(/^\[BEGIN UNTRUSTED PAGE TEXT [0-9a-f]{24}: /);
  expect(risks?.text).toContain('See Item 7 of this report');
  expect(JSON.stringify(answer.data)).not.toContain('hidden words');
});

test('an item that is asked for and not found is missing, also where only items are asked for', async () => {
  const { answer } = await bought(await readingRig(), {
    cik: '320193',
    limit: 1,
    include: [],
    items: ['1A', '7', '9C'],
  });
  expect(answer.coverage.missing).toEqual(['item:9C']);
  expect(answer.completeness).toBe('partial');
  expect(answer.data?.filings[0]?.sections?.map(({ item }) => item)).toEqual(['1A', '7']);
});

test('amendments stand apart, and older pages are turned for what is not recent', async () => {
  const rig = await readingRig();
  const { body } = fixturesOf('secdata').find(
    ({ path }) => path === '/submissions/CIK0000320193.json',
  ) as {
    body: { filings: { recent: Record<string, string[]> } };
  };
  const changed = structuredClone(body);
  const { recent } = changed.filings;
  const amended = {
    accessionNumber: '0000320193-23-000999',
    filingDate: '2023-12-01',
    reportDate: '2023-09-30',
    acceptanceDateTime: '2023-12-01T12:00:00.000Z',
    form: '10-K/A',
    items: '',
    primaryDocument: 'amended.htm',
  };
  for (const [name, value] of Object.entries(amended)) recent[name]?.unshift(value);
  rig.server.answer('secdata', '/submissions/CIK0000320193.json', changed);
  const plain = { cik: '320193', forms: ['10-K'], include: [], limit: 5 };
  const without = await bought(rig, plain);
  const forms = (report: FilingsReport | null) => report?.filings.map(({ form }) => form);
  expect(forms(without.answer.data)).toEqual(['10-K', '10-K']);
  expect(without.answer.data?.filings[1]?.accession).toBe('0001193125-15-356351');
  const withThem = await bought(rig, { ...plain, amendments: true });
  expect(forms(withThem.answer.data)).toEqual(['10-K/A', '10-K', '10-K']);
  expect(withThem.answer.data?.filings[0]?.amendment).toBe(true);
});

test('a phrase is searched for in all filings of the filer', async () => {
  const rig = await readingRig();
  const fixture = fixturesOf('secsearch').find(({ path }) => path.includes('ciks='));
  const today = new Date(realClock.now()).toISOString().slice(0, 10);
  const path = fixture?.path.replace('2023-12-31', today) ?? '';
  rig.server.answer('secsearch', path, fixture?.body);
  const { answer } = await bought(rig, {
    cik: '320193',
    forms: ['10-K'],
    include: [],
    phrase: 'supply chain',
  });
  expect(answer.data?.mentions).toMatchObject({ total: 1, found: [{ accession: YEAR }] });
});

const EXPECTED: Readonly<Record<UpstreamFault, readonly [string, boolean] | undefined>> = {
  ...FAULT_ANSWERS,
  huge: ['upstream_bad_payload', true],
  // Filings carry days of their own: an answer with another clock says the same.
  stale: undefined,
  skewed_clock: undefined,
};

test.each(FAULTS)(
  'a regulator with the fault %s: its code, its retry, and no charge',
  async (fault) => {
    const rig = await readingRig();
    rig.server.dial('secdata', fault);
    const { answer, charged, outcome } = await bought(rig, { ticker: 'AAPL' }, fault);
    const [found] = answer.faults;
    const expected = EXPECTED[fault];
    if (expected === undefined) {
      expect([answer.completeness, charged]).toEqual(['full', 50_000n]);
      return;
    }
    expect([found?.code, found?.retryable]).toEqual(expected);
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test('without its documents an answer is partial, names them, and gives no hash', async () => {
  const rig = await readingRig();
  rig.server.dial('secfiles', 'forbidden_page');
  const { answer } = await bought(rig, { cik: '320193', limit: 1 });
  expect(answer.coverage.missing).toEqual([`document:${YEAR}`]);
  expect(answer.data?.filings[0]?.document).toMatchObject({ sha256: null, cited: null });
  expect(answer.completeness).toBe('partial');
});

test('a ticker or number that nobody has is unknown, and nothing is charged', async () => {
  const rig = await readingRig();
  const ticker = await bought(rig, { ticker: 'NOPE' });
  expect(ticker.answer.faults[0]).toMatchObject({ code: 'unknown_symbol', retryable: false });
  const number = await bought(rig, { cik: '1' });
  expect(number.answer.faults[0]).toMatchObject({ code: 'not_found', retryable: false });
  expect([ticker.charged, number.charged]).toEqual([0n, 0n]);
});

test('without a way to reach the operator, or with two names, no payment is asked', async () => {
  const rig = await readingRig();
  const make = (contact: string | undefined) => {
    const filings = createEdgarFilings({ reader: rig.reader(), clock: realClock, contact });
    return sellTool((trust) => edgarFilingTool({ trust, clock: realClock, filings }));
  };
  const nameless = await (await make(undefined)).ask({ ticker: 'AAPL' });
  expect(contentOf(nameless)).toMatchObject({
    error: 'NOT_CONFIGURED',
    data: { variable: 'STOA_OPERATOR_EMAIL' },
  });
  const sold = await make(CONTACT);
  for (const args of [{}, { ticker: 'AAPL', cik: '320193' }, { ticker: '' }, { cik: '0x1' }]) {
    expect(contentOf(await sold.ask(args))['error']).toBe('INPUT_INVALID');
  }
  expect(rig.server.hits).toEqual([]);
});

test('the regulator is told who asks', async () => {
  const rig = await readingRig();
  await bought(rig, { cik: '320193', limit: 1, include: [] });
  expect(rig.server.lastHeaders()).toMatchObject({
    from: CONTACT,
    'user-agent': `stoa/test (+${CONTACT})`,
  });
});
