import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDueDiligenceKind } from '../../../src/actors/company/diligence-kind.ts';
import type { DiligencePorts } from '../../../src/actors/company/diligence-ports.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { RegistryRecord } from '../../../src/domain/company/report.ts';
import type { SourceReading } from '../../../src/domain/data/upstreams.ts';
import { ReputationLedger } from '../../../src/domain/reputation/ledger.ts';
import type { Death } from '../../support/mortal.ts';
import { NAME, reportWorld, stateOf } from '../../support/reports/report-world.ts';

const AT = '2026-01-01T00:00:00.000Z';
const LEI = 'OW6OFBNCKXC4US5C7523';
const RECORD: RegistryRecord = {
  registry: 'gleif',
  jurisdiction: 'no',
  entity_name: 'Made Up Works',
  number: LEI,
  status: 'active',
  status_raw: null,
  incorporated_on: '1990-01-01',
  dissolved_on: null,
  type: null,
  address: null,
  lei: LEI,
  other_names: [],
  record_url: null,
  as_of: null,
};

function read<T>(upstream: string, value: T): SourceReading<T> {
  const source = {
    upstream,
    url: `urn:stoa:${upstream}`,
    retrieved_at: AT,
    revalidated_at: null,
    sha256: sha256Hex(upstream),
    bytes: 1,
    http_status: 200,
    from_cache: false,
  };
  return { ok: true, value, source };
}

/** Ports that answer at once; `asked` hears what was asked of which. */
function madePorts(asked: (what: string) => void): DiligencePorts {
  const hear = <T>(what: string, reading: SourceReading<T>): Promise<SourceReading<T>> => {
    asked(what);
    return Promise.resolve(reading);
  };
  return {
    filings: { missing: ['STOA_OPERATOR_EMAIL'] } as never,
    registries: [
      {
        id: 'gleif',
        jurisdiction: 'global',
        missing: [],
        isNumber: () => true,
        findByName: () => hear('registry', read('gleif', [RECORD])),
        findByNumber: () => hear('registry', read('gleif', [RECORD])),
      },
    ],
    screenings: [
      {
        screen: () =>
          hear('lists', read('lists', { hits: [], lists: [{ list: 'L', parties: 2 }] })),
      },
    ],
    relations: {
      parents: (lei, level) =>
        hear(`${level} parent of ${lei}`, read(level, { parents: [], exception: 'NO_LEI' })),
    },
    scorer: { method: 'none', lexiconSha256: sha256Hex(''), score: () => 0 },
    feeds: { feeds: [] },
    pages: { read: () => Promise.reject(new Error('no site is known')) },
    readNews: async () => ({ answers: [], faults: [] }),
    audits: { list: async () => ({ rows: [], cursor: null }), read: async () => ({}) as never },
    reputationOf: async (wallet) => new ReputationLedger().reputationFor(wallet),
    clock: { now: () => Date.parse(AT), at: () => () => undefined },
  };
}

const Request = z.object({ name: z.string() });

async function survived(deaths: readonly Death[]) {
  const asked: string[] = [];
  const world = await reportWorld(
    createDueDiligenceKind(madePorts((what) => void asked.push(what))),
    Request,
  );
  const args = { name: 'Made Up Works', wait_s: 300 };
  const first = await world.life();
  const offer = await first.call(NAME, args);
  if (offer.kind !== 'payment_required') throw new Error('no challenge');
  const value = await world.sign(offer.required.accepts[0]);
  first.life.die();
  const payments = [{ carrier: 'meta' as const, value }];
  for (const death of deaths) {
    const life = await world.life(death);
    await life.call(NAME, args, { payments }).catch(() => undefined);
    life.life.die();
  }
  const last = await world.life();
  const { job_id } = stateOf(await last.call(NAME, args, { payments }));
  const state = await last.ended(job_id);
  await world.clock.advance(5_000);
  const { rows } = await last.engine.list({ kind: 'report' });
  return { state, asked, steps: last.life.steps, jobs: rows.length, books: world.books() };
}

test('killed after any commit it goes on with the records that it had found, charged once', {
  timeout: 60_000,
}, async () => {
  const unhurt = await survived([]);
  expect(unhurt.asked).toContain(`ultimate parent of ${LEI}`);
  expect(unhurt.state.report?.data).toMatchObject({ overall: 'insufficient_evidence' });
  expect(unhurt.steps).toBeGreaterThan(10);
  for (let at = 1; at <= unhurt.steps; at += 3) {
    const cut = await survived([{ at, when: 'after' }]);
    expect(cut.state.report?.data, `commit ${at}`).toEqual(unhurt.state.report?.data);
    expect([cut.jobs, cut.books]).toEqual([1, { paid: 2_000_000n, refunded: 0n }]);
    expect(new Set(cut.asked), `commit ${at}`).toEqual(new Set(unhurt.asked));
  }
});
