import pLimit from 'p-limit';
import { GOING_CONCERN_PHRASE } from '../../../src/actors/vetting/finances.ts';
import type { VettingPorts } from '../../../src/actors/vetting/lenses.ts';
import { createVendorVettingKind } from '../../../src/actors/vetting/vetting-kind.ts';
import type { PublishedAudits } from '../../../src/domain/audit/published-audits.ts';
import type { AuditReport } from '../../../src/domain/audit/report.ts';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import { ReputationLedger } from '../../../src/domain/reputation/ledger.ts';
import type { Reputation } from '../../../src/domain/reputation/view.ts';
import type { LensReport } from '../../../src/domain/vetting/lens.ts';
import type { VettingReport } from '../../../src/domain/vetting/verdict.ts';
import { createRegistries } from '../../../src/providers/company/company-registries.ts';
import type { UpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import { createEdgarFilings } from '../../../src/providers/filing/edgar.ts';
import { CONSOLIDATED, createScreenings } from '../../../src/providers/screening/lists.ts';
import { createListScreening } from '../../../src/providers/screening/screening.ts';
import { vendorVettingTool } from '../../../src/tools/vetting/procurement_vendor-vetting.ts';
import { realClock } from '../real-clock.ts';
import type { UpstreamFault } from '../upstreams/fault-dial.ts';
import { CONTACT, type ReadingRig } from '../upstreams/reading-rig.ts';
import { sellReport } from './sold-report.ts';

/** Day on which the tests look at filings: shortly after the yearly report of the fixtures. */
export const LOOKED_AT = Date.UTC(2023, 10, 30);

/** What a vetting of the tests finds on record, beside its upstreams. */
export interface VettingWorld {
  readonly fault?: UpstreamFault;
  readonly contact?: string | undefined;
  readonly audit?: Pick<AuditReport, 'audit_id' | 'ended_at' | 'categories'>;
  readonly record?: Partial<Reputation>;
  /** Whether every file of lists is searched; one alone is quicker. */
  readonly allLists?: boolean;
}

/** The envelope of a vetting. */
export interface VettingAnswer {
  readonly completeness: string;
  readonly data: VettingReport | null;
  readonly sources: readonly { readonly id: string; readonly url: string }[];
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

/** Sells vettings over upstreams on loopback. */
export function sellVetting(rig: ReadingRig, world: VettingWorld = {}) {
  const ports = vettingPorts(rig.reader(world.fault), world);
  return sellReport(createVendorVettingKind(ports), (reporting) =>
    vendorVettingTool({ ...ports, ...reporting }),
  );
}

/** What a vetting of the tests looks through. */
export function vettingPorts(reader: UpstreamReader, world: VettingWorld): VettingPorts {
  const contact = 'contact' in world ? world.contact : CONTACT;
  const filings = createEdgarFilings({ reader, clock: realClock, contact });
  const registries = createRegistries({ reader, filings, companiesHouseKey: undefined });
  return {
    filings,
    registries,
    screenings: listsOf(reader, world),
    audits: auditsOf(world.audit),
    reputationOf: async (wallet) => ({
      ...new ReputationLedger().reputationFor(wallet),
      ...world.record,
    }),
    clock: { ...realClock, now: () => LOOKED_AT },
  };
}

/** Orders a vetting and reads it to its end. */
export async function vetted(rig: ReadingRig, args: object, world: VettingWorld = {}) {
  const sold = await sellVetting(rig, world);
  const state = await sold.made({ wait_s: 60, ...args });
  const report = state.report as unknown as VettingAnswer | undefined;
  const lens = (name: string): LensReport | undefined =>
    report?.data?.lenses.find((one) => one.lens === name);
  return { sold, state, report, lens };
}

/** Path of the search for words of doubt in filings of one filer. */
export function doubtPath(cik: string): string {
  const query = new URLSearchParams({
    q: `"${GOING_CONCERN_PHRASE}"`,
    forms: '10-K,10-Q',
    ciks: cik,
    dateRange: 'custom',
    startdt: '2021-11-30',
    enddt: '2023-11-30',
  });
  return `/LATEST/search-index?${query.toString()}`;
}

/** An answer of that search. */
export function doubts(...found: readonly { readonly form: string; readonly filed: string }[]) {
  const hits = found.map(({ form, filed }, at) => ({
    _id: `0000320193-23-00000${at}:made.htm`,
    _source: {
      ciks: ['0000320193'],
      display_names: ['Apple Inc.'],
      form,
      file_date: filed,
      adsh: `0000320193-23-00000${at}`,
      items: [],
    },
  }));
  return { hits: { total: { value: found.length, relation: 'eq' }, hits } };
}

function listsOf(reader: UpstreamReader, { allLists = false }: VettingWorld) {
  const parts = { reader, clock: realClock };
  if (allLists) return createScreenings(parts);
  return [createListScreening({ ...parts, serialize: pLimit(1) }, CONSOLIDATED)];
}

function auditsOf(audit: VettingWorld['audit']): Pick<PublishedAudits, 'list' | 'read'> {
  const row = { audit_id: audit?.audit_id, status: 'published', report: '/v1/audits/made' };
  const statement = { signature: { signer: '0xsigner' } };
  return {
    list: async () => ({ rows: (audit === undefined ? [] : [row]) as never, cursor: null }),
    read: async () => ({ payload: audit, statement, proof: {} }) as never,
  };
}
