import { expect, test } from 'vitest';
import type { ReportCategory } from '../../../src/domain/audit/report.ts';
import { proves } from '../../support/proves.ts';
import {
  doubtPath,
  doubts,
  LOOKED_AT,
  sellVetting,
  vetted,
} from '../../support/reports/vetting-rig.ts';
import { contentOf, envelopeFaults } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { type ReadingRig, readingRig } from '../../support/upstreams/reading-rig.ts';
import { fixturesOf } from '../../support/upstreams/upstream-server.ts';

const APPLE = '0000320193';
const LISTS = ['sanctions', 'ofac', 'unsanctions', 'eusanctions', 'uksanctions'] as const;
const WALLET = `0x${'a'.repeat(40)}`;
const ORIGIN = 'https://agent.example';

async function appleRig(found: ReturnType<typeof doubts> = doubts()): Promise<ReadingRig> {
  const rig = await readingRig();
  rig.server.answer('secsearch', doubtPath(APPLE), found);
  return rig;
}

function categories(...verdicts: ReportCategory['verdict'][]): ReportCategory[] {
  return verdicts.map((verdict, at) => ({
    category: `ASI${String(at + 1).padStart(2, '0')}` as ReportCategory['category'],
    name: 'Made up category',
    verdict,
    seat: 'seat',
    finding_ids: [],
    probes_run: [],
    probes_skipped: [],
  }));
}

const AUDIT = {
  audit_id: `aud_${'1'.repeat(32)}`,
  ended_at: new Date(LOOKED_AT - 86_400_000).toISOString(),
  categories: categories(...Array.from({ length: 10 }, () => 'pass' as const)),
};
const RECORD = { settled_jobs: 12, disputes: 1, score: 61 };

test('all four lenses answer in one signed report, and each finding and figure cites a source', async () => {
  proves('C4.3.t27');
  const { state, report, sold } = await vetted(
    await appleRig(),
    {
      name: 'Apple Inc',
      jurisdiction: 'us-sec',
      ticker: 'AAPL',
      origin: ORIGIN,
      wallet: WALLET,
    },
    { audit: AUDIT, record: RECORD },
  );
  expect(state).toMatchObject({ status: 'published', outcome: 'complete', refund: null });
  expect(report?.data?.lenses.map(({ lens, status }) => [lens, status])).toEqual([
    ['financial_health', 'ok'],
    ['security_posture', 'ok'],
    ['compliance_and_sanctions', 'ok'],
    ['delivery_history', 'ok'],
  ]);
  expect([report?.completeness, report?.data?.verdict]).toEqual(['full', 'low']);
  expect(envelopeFaults(report as never)).toEqual([]);
  const known = new Set(report?.sources.map(({ id }) => id));
  const cited = report?.data?.lenses.flatMap(({ findings }) =>
    findings.flatMap((one) => one.cited),
  );
  expect(cited?.length).toBeGreaterThan(10);
  expect(cited?.filter((id) => !known.has(id))).toEqual([]);
  expect(sold.charged()).toBe(500_000n);
});

// Golden: Apple's Form 10-K for the year ended 2023-09-30 (see test/domain/vetting/ratios.test.ts).
test('ratios are those of the latest yearly report, with its day and its source', async () => {
  const { report, lens } = await vetted(await appleRig(), { name: 'Apple Inc', ticker: 'AAPL' });
  const health = lens('financial_health');
  expect(health?.figures).toMatchObject([
    { name: 'current_ratio', figure: { value: '0.98', unit: 'ratio' } },
    { name: 'altman_z', figure: { value: '2.36', as_of: '2023-10-01T00:00:00.000Z' } },
  ]);
  const [id] = health?.figures[0]?.figure.sources ?? [];
  expect(report?.sources.find((one) => one.id === id)?.url).toContain('companyfacts');
  expect(health?.findings.map(({ rule, severity }) => [rule, severity])).toEqual([
    ['altman_grey', 'low'],
  ]);
  expect(health?.searched).toEqual([
    'latest annual report of Apple Inc.',
    'late-filing notices since 2021-11-30',
    'going-concern doubts in annual and quarterly reports since 2021-11-30',
  ]);
});

test('words of doubt and notices of late filing are red flags with their dates', async () => {
  const rig = await appleRig(doubts({ form: '10-K', filed: '2023-03-01' }));
  const listed = fixturesOf('secdata').find(
    ({ path }) => path.endsWith('/CIK0000320193.json') && path.includes('submissions'),
  );
  const body = structuredClone(listed?.body) as { filings: { recent: { form: string[] } } };
  body.filings.recent.form[3] = 'NT 10-Q';
  rig.server.answer('secdata', listed?.path ?? '', body);
  const { report } = await vetted(rig, { name: 'Apple Inc', ticker: 'AAPL' });
  expect(report?.data?.red_flags).toMatchObject([
    {
      rule: 'late_filing',
      severity: 'medium',
      claim: 'Late-filing notices: NT 10-Q 2023-08-03.',
    },
    { rule: 'going_concern_words', claim: expect.stringContaining('10-K of 2023-03-01') },
  ]);
  expect(report?.data?.verdict).toBe('medium');
});

test('a ticker of somebody else is a red flag', async () => {
  const { report } = await vetted(await appleRig(), { name: 'Equinor', ticker: 'AAPL' });
  expect(report?.data?.red_flags).toMatchObject([
    {
      rule: 'name_differs',
      claim: 'The filer with this ticker is Apple Inc., not Equinor.',
    },
  ]);
});

test('without a contact filings are not configured by name, and the other lenses answer', async () => {
  const args = { name: 'Equinor', jurisdiction: 'no', ticker: 'EQNR' };
  const { lens, report } = await vetted(await readingRig(), args, { contact: undefined });
  expect(lens('financial_health')).toMatchObject({
    status: 'not_configured',
    note: 'The operator has not set STOA_OPERATOR_EMAIL.',
  });
  expect(report?.coverage.missing).toContain('financial_health');
});

test('security posture is the latest published audit: failed categories are high, old ones partial', async () => {
  const args = { name: 'Equinor', jurisdiction: 'no', origin: `${ORIGIN}/mcp` };
  const old = { ...AUDIT, ended_at: '2023-01-01T00:00:00.000Z' };
  const failed = { ...AUDIT, categories: categories('fail', 'partial', 'pass', 'not_assessed') };
  const { lens, report } = await vetted(await readingRig(), args, { audit: failed });
  expect(lens('security_posture')?.findings.map(({ rule, severity }) => [rule, severity])).toEqual([
    ['ASI01', 'high'],
    ['ASI02', 'low'],
    ['ASI03', 'info'],
  ]);
  expect(lens('security_posture')?.status).toBe('partial');
  expect(report?.data?.verdict).toBe('high');
  const late = await vetted(await readingRig(), args, { audit: old });
  expect(late.lens('security_posture')?.status).toBe('partial');
  const none = await vetted(await readingRig(), args);
  expect(none.lens('security_posture')).toMatchObject({
    status: 'no_data',
    findings: [],
    searched: [`audits of ${ORIGIN} published here`],
  });
});

test('a listed name is a hit with list and score, and a sure one makes the verdict high', async () => {
  const rig = await readingRig();
  nobodyIn(rig, 'Sea of Nothing Lines');
  const { lens, report } = await vetted(rig, { name: 'Sea of Nothing Lines', jurisdiction: 'no' });
  expect(lens('compliance_and_sanctions')?.findings).toMatchObject([
    {
      rule: 'sanctions_hit',
      severity: 'high',
      claim:
        'SEA OF NOTHING LINES (Entity a1) on Specially Designated Nationals (SDN) - ' +
        'Treasury Department: score 1.',
    },
  ]);
  expect(report?.data?.verdict).toBe('high');
});

test('no hit names the lists that were searched, how many are on each, and when they were read', async () => {
  const { lens } = await vetted(await readingRig(), { name: 'Equinor', jurisdiction: 'no' });
  const { searched = [], note, findings } = lens('compliance_and_sanctions') ?? {};
  expect(findings).toEqual([]);
  expect(searched.slice(0, 2)).toEqual(['gleif', 'brreg']);
  expect(searched[2]).toMatch(/^Specially Designated .+: 2 parties, as of \d{4}-\d{2}-\d{2}T.+Z$/);
  expect(searched[3]).toMatch(/^Entity List \(EL\) .+: 1 parties, as of /);
  expect(note).toBe('No hit only means no hit on the searched lists.');
});

test('when the lists cannot be read, nothing is said about sanctions, and it says so', async () => {
  const rig = await readingRig();
  for (const upstream of LISTS) rig.server.dial(upstream, 'server_error');
  const args = { name: 'Equinor', jurisdiction: 'no' };
  const { lens, report } = await vetted(rig, args, { allLists: true });
  const { status, note, searched } = lens('compliance_and_sanctions') ?? {};
  expect([status, searched]).toEqual(['partial', ['gleif', 'brreg']]);
  expect(note).toContain('so sanctions were not checked');
  expect(report?.faults.map(({ upstream, code }) => [upstream, code])).toEqual(
    LISTS.map((upstream) => [upstream, 'upstream_unavailable']),
  );
});

test('a list that cannot be read is named, and the others are searched', async () => {
  const rig = await readingRig();
  rig.server.dial('unsanctions', 'server_error');
  const args = { name: 'Equinor', jurisdiction: 'no' };
  const { lens } = await vetted(rig, args, { allLists: true });
  const { status, note, searched = [] } = lens('compliance_and_sanctions') ?? {};
  expect(status).toBe('partial');
  expect(note).toContain('The lists of unsanctions were not checked.');
  expect(searched.map((one) => one.split(':')[0])).toEqual([
    ...['gleif', 'brreg', 'Specially Designated Nationals (SDN) - Treasury Department'],
    'Entity List (EL) - Bureau of Industry and Security',
    'Specially Designated Nationals, from the Office of Foreign Assets Control',
    'European Union consolidated list of financial sanctions',
    'United Kingdom sanctions list',
  ]);
});

test.each([
  [{ settled_jobs: 20 }, 'info', 'low'],
  [{ settled_jobs: 20, disputes: 1, lost_disputes: 1 }, 'medium', 'medium'],
  [{ settled_jobs: 4, refunds: 1, unfulfilled: 1 }, 'high', 'high'],
])('delivery history %j is %s', async (record, severity, verdict) => {
  const args = {
    name: 'Equinor',
    jurisdiction: 'no',
    wallet: WALLET.toUpperCase().replace('X', 'x'),
  };
  const { lens, report } = await vetted(await readingRig(), args, { record });
  expect(lens('delivery_history')?.findings).toMatchObject([{ rule: 'delivery_record', severity }]);
  expect(report?.data?.verdict).toBe(verdict);
});

test('a wallet without jobs, and a lens that was given nothing, are missing and no good sign', async () => {
  const args = { name: 'Equinor', jurisdiction: 'no', wallet: WALLET };
  const { lens, report } = await vetted(await readingRig(), args);
  expect(lens('delivery_history')).toMatchObject({ status: 'no_data', findings: [] });
  expect(report?.coverage.missing).toEqual([
    ...['financial_health', 'security_posture', 'delivery_history'],
  ]);
  expect([report?.completeness, report?.data?.verdict]).toEqual([
    'partial',
    'insufficient_evidence',
  ]);
});

test('what cannot be answered is refused before any payment, and says what can', async () => {
  const sold = await sellVetting(await readingRig());
  for (const args of [
    {},
    { name: 'x' },
    { name: 'Equinor', jurisdiction: 'de' },
    { name: 'Equinor', wallet: '0x12' },
    { name: 'Equinor', origin: 'ftp://agent.example' },
  ]) {
    expect(contentOf(await sold.ask(args))['error'], JSON.stringify(args)).toBe('INPUT_INVALID');
  }
  const refused = contentOf(await sold.ask({ name: 'BP plc', jurisdiction: 'gb' }));
  expect(refused).toMatchObject({
    error: 'NOT_CONFIGURED',
    data: { variable: 'STOA_COMPANIES_HOUSE_KEY' },
  });
});

const EXPECTED: Readonly<Record<UpstreamFault, readonly [string, boolean] | undefined>> = {
  ...FAULT_ANSWERS,
  // The lists are large: what is too much elsewhere is read here, and is no list.
  huge: ['upstream_bad_payload', true],
  gzip_bomb: ['upstream_bad_payload', true],
  stale: undefined,
  skewed_clock: undefined,
};

test.each(FAULTS)(
  'all upstreams with the fault %s: its code, its retry, all paid back',
  async (fault) => {
    const rig = await readingRig();
    for (const upstream of ['gleif', 'brreg', 'sanctions'] as const) {
      rig.server.dial(upstream, fault);
    }
    const { sold, state, report } = await vetted(
      rig,
      { name: 'Equinor', jurisdiction: 'no' },
      { fault },
    );
    const expected = EXPECTED[fault];
    if (expected === undefined) {
      expect([state.outcome, sold.charged()]).toEqual(['complete', 500_000n]);
      return;
    }
    const found = report?.faults.find(({ upstream }) => upstream === 'sanctions');
    expect([found?.code, found?.retryable]).toEqual(expected);
    expect(report?.data).toBeNull();
    expect(state).toMatchObject({ status: 'failed', outcome: 'no_answer' });
    await sold.paidBack();
  },
);

/** Registries that know nobody of that name. */
function nobodyIn(rig: ReadingRig, name: string): void {
  const asked = new URLSearchParams({ name }).toString().slice('name='.length);
  for (const upstream of ['gleif', 'brreg'] as const) {
    const none = fixturesOf(upstream).find(({ path }) => path.includes('Nobody+Knows'));
    const path = (none?.path ?? '').replace('Nobody+Knows', asked);
    rig.server.answer(upstream, path, none?.body);
  }
}
