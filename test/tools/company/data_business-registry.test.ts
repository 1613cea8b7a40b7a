import { expect, test } from 'vitest';
import type { RegistryReport } from '../../../src/domain/company/report.ts';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import { createRegistries } from '../../../src/providers/company/company-registries.ts';
import { isLei } from '../../../src/providers/company/gleif.ts';
import { createEdgarFilings } from '../../../src/providers/filing/edgar.ts';
import { businessRegistryTool } from '../../../src/tools/company/data_business-registry.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { CONTACT, type ReadingRig, readingRig } from '../../support/upstreams/reading-rig.ts';
import { fixturesOf } from '../../support/upstreams/upstream-server.ts';

interface Answer {
  readonly completeness: string;
  readonly data: RegistryReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

const KEY = 'key-of-the-test';

async function selling(rig: ReadingRig, fault?: UpstreamFault, key: string | undefined = KEY) {
  const reader = rig.reader(fault);
  const filings = createEdgarFilings({ reader, clock: realClock, contact: CONTACT });
  const registries = createRegistries({ reader, filings, companiesHouseKey: key });
  return sellTool((trust) => businessRegistryTool({ trust, clock: realClock, registries }));
}

async function bought(rig: ReadingRig, args: object, fault?: UpstreamFault) {
  const sold = await selling(rig, fault);
  const outcome = await sold.buy(args);
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged() };
}

// Golden: Equinor ASA, organisation number 923 609 016, founded 1972-09-18 (Brønnøysund Register
// Centre); identifier OW6OFBNCKXC4US5C7523 (GLEIF).
test('a business is found by name in all registries, former names too, with what fits and how', async () => {
  proves('C4.3.t9');
  const rig = await readingRig();
  rig.server.answer('companieshouse', '/search/companies?q=Equinor&items_per_page=20', {
    items: [],
  });
  const { answer, charged } = await bought(rig, { name: 'Equinor' });
  expect(answer.data?.outcome).toBe('found');
  expect(answer.data?.records).toMatchObject([
    { registry: 'gleif', number: 'OW6OFBNCKXC4US5C7523', match: { score: 1, method: 'exact' } },
    {
      registry: 'brreg',
      number: '923609016',
      status: 'active',
      incorporated_on: '1972-09-18',
      address: 'Forusbeen 50, 4035, STAVANGER, Norge',
    },
  ]);
  expect(answer.data?.searched.map(({ registry }) => registry)).toEqual([
    ...['gleif', 'edgar', 'colorado', 'newyork', 'companieshouse', 'brreg', 'recherche'],
  ]);
  expect([answer.completeness, charged]).toEqual(['full', 20_000n]);
});

test.each([
  ['global', 'HWUPKR0MPOU8FGXBT394', 'gleif', 'Apple Inc.', 'active'],
  ['us-sec', '320193', 'edgar', 'Apple Inc.', 'unknown'],
  ['us-co', '19871234567', 'colorado', 'Made Up Works, LLC', 'active'],
  ['us-ny', '1234567', 'newyork', 'MADE UP WORKS INC.', 'active'],
  ['gb', '00102498', 'companieshouse', 'BP P.L.C.', 'active'],
  ['no', '923609016', 'brreg', 'EQUINOR ASA', 'active'],
  ['fr', '552032534', 'recherche', 'DANONE', 'active'],
])('a record of %s is read by its number', async (jurisdiction, number, ...record) => {
  const [registry, name, status] = record;
  const { answer } = await bought(await readingRig(), { jurisdiction, number });
  expect(answer.data).toMatchObject({
    outcome: 'found',
    records: [{ registry, entity_name: name, status, match: { score: 1, method: 'number' } }],
  });
});

test('two records that fit alike are ambiguous: both are candidates, none is the answer', async () => {
  const { answer } = await bought(await readingRig(), {
    name: 'Twin Works',
    jurisdiction: 'global',
  });
  expect(answer.data).toMatchObject({ outcome: 'ambiguous', records: [] });
  expect(answer.data?.candidates.map(({ number }) => number[0])).toEqual(['A', 'B']);
  expect(answer.faults).toMatchObject([{ code: 'ambiguous_entity', retryable: false }]);
});

test('a state says what became of a business in its own words and in ours', async () => {
  const { answer } = await bought(await readingRig(), {
    name: 'Made Up Works',
    jurisdiction: 'us-co',
  });
  const all = [...(answer.data?.records ?? []), ...(answer.data?.candidates ?? [])];
  expect(all.map(({ status, status_raw }) => [status, status_raw])).toEqual([
    ['active', 'Good Standing'],
    ['dissolved', 'Voluntarily Dissolved'],
  ]);
});

test('no hit names where was searched', async () => {
  const { answer, charged } = await bought(await readingRig(), {
    name: 'Nobody Knows',
    jurisdiction: 'no',
  });
  expect(answer.data).toMatchObject({
    outcome: 'no_match',
    records: [],
    searched: [{ registry: 'brreg', answered: true, cited: 's1' }],
  });
  expect(charged).toBe(20_000n);
});

const EXPECTED: Readonly<Record<UpstreamFault, readonly [string, boolean] | undefined>> = {
  ...FAULT_ANSWERS,
  // Records carry days of their own: an answer with another clock says the same.
  stale: undefined,
  skewed_clock: undefined,
};

test.each(FAULTS)('a registry with the fault %s: its code, its retry, no charge', async (fault) => {
  const rig = await readingRig();
  rig.server.dial('brreg', fault);
  const { answer, charged } = await bought(rig, { name: 'Equinor', jurisdiction: 'no' }, fault);
  const expected = EXPECTED[fault];
  if (expected === undefined) {
    expect([answer.completeness, charged]).toEqual(['full', 20_000n]);
    return;
  }
  const [found] = answer.faults;
  expect([found?.code, found?.retryable]).toEqual(expected);
  expect([answer.data, charged]).toEqual([null, 0n]);
});

test('one registry that fails is missing by name, and the others answer', async () => {
  const rig = await readingRig();
  rig.server.dial('gleif', 'server_error');
  const { answer } = await bought(rig, { name: 'Equinor' });
  expect(answer.coverage.missing).toContain('gleif');
  expect(answer.data?.records.map(({ registry }) => registry)).toEqual(['brreg']);
  expect(answer.completeness).toBe('partial');
});

test('what cannot be answered is refused before any payment, and says what can', async () => {
  const sold = await selling(await readingRig());
  for (const args of [
    { name: 'Equinor', jurisdiction: 'us-de' },
    { name: 'Equinor', jurisdiction: 'nowhere' },
    { name: 'Equinor', number: '923609016' },
    { number: '923609016' },
    { number: '923609017', jurisdiction: 'no' },
    { number: 'HWUPKR0MPOU8FGXBT395' },
    {},
  ]) {
    expect(contentOf(await sold.ask(args))['error'], JSON.stringify(args)).toBe('INPUT_INVALID');
  }
  const refused = contentOf(await sold.ask({ name: 'Equinor', jurisdiction: 'us-de' }));
  expect(refused['data']).toMatchObject({ reason: 'unsupported_jurisdiction', received: 'us-de' });
});

test('a register without its key is not configured by name, and left out of auto', async () => {
  const rig = await readingRig();
  const reader = rig.reader();
  const filings = createEdgarFilings({ reader, clock: realClock, contact: undefined });
  const registries = createRegistries({ reader, filings, companiesHouseKey: undefined });
  const make = { clock: realClock, registries };
  const sold = await sellTool((trust) => businessRegistryTool({ trust, ...make }));
  const refused = contentOf(await sold.ask({ name: 'BP plc', jurisdiction: 'gb' }));
  expect(refused).toMatchObject({
    error: 'NOT_CONFIGURED',
    data: { variable: 'STOA_COMPANIES_HOUSE_KEY' },
  });
  const answer = answerOf<Answer>(sold, await sold.buy({ name: 'Equinor' }));
  expect(answer.data?.searched.map(({ registry }) => registry)).toEqual([
    ...['gleif', 'colorado', 'newyork', 'brreg', 'recherche'],
  ]);
});

test('the key goes to its register alone, and is no part of the answer', async () => {
  const rig = await readingRig();
  const { outcome } = await bought(rig, { name: 'BP plc', jurisdiction: 'gb' });
  const basic = Buffer.from(`${KEY}:`).toString('base64');
  expect(rig.server.lastHeaders()['authorization']).toBe(`Basic ${basic}`);
  expect(JSON.stringify(outcome)).not.toContain(basic);
});

test('a name with signs of a query stays a name', async () => {
  const rig = await readingRig();
  await bought(rig, { name: "x') or 1=1 --", jurisdiction: 'us-co' });
  const [hit = ''] = rig.server.hits;
  expect(decodeURIComponent(hit.replaceAll('+', ' '))).toContain("like '%X%OR%1%'");
});

test('an identifier with a wrong digit is none', () => {
  expect(isLei('HWUPKR0MPOU8FGXBT394')).toBe(true);
  for (const wrong of ['HWUPKR0MPOU8FGXBT395', 'HWUPKR0MPOU8FGXBT39', '']) {
    expect(isLei(wrong)).toBe(false);
  }
});

test('a web site that a registry has on record is told', async () => {
  const rig = await readingRig();
  const unit = fixturesOf('brreg').find(({ path }) => path.endsWith('/enheter/923609016'));
  const body = { ...(unit?.body as object), hjemmeside: 'www.energy.example' };
  rig.server.answer('brreg', unit?.path ?? '', body);
  const asked = { number: '923609016', jurisdiction: 'no' };
  expect((await bought(rig, asked)).answer.data?.records[0]?.website).toBe('www.energy.example');
  const none = await bought(await readingRig(), asked);
  expect(none.answer.data?.records[0]?.website).toBeNull();
});
