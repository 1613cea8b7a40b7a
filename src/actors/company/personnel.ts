import type { Officer } from '../../domain/company/officer.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';
import { createFinding, type LensResult } from '../../domain/vetting/lens.ts';
import { findFiler } from '../vetting/filer.ts';
import { joinLenses } from '../vetting/join-lenses.ts';
import {
  emptyResult,
  type Lens,
  type VettingPorts,
  type VettingSubject,
} from '../vetting/lenses.ts';
import { createHitFinding, screenNames } from '../vetting/sanctions.ts';
import { type ReportedItem, readCurrentReports } from './current-reports.ts';

/** Items of current reports about people. */
const ITEMS: Readonly<Record<string, ReportedItem>> = {
  '5.02': { rule: 'leaders_changed', severity: 'info', what: 'Directors or officers changed' },
};
const NAMESAKES = 'Lists are searched only by personal name; a hit may be a namesake.';

/** Reports officers from registries, changes of leadership, and sanctions hits on officers. */
export const personnel: Lens = async (subject, ports, limits) => {
  const [officers, changes] = await Promise.all([
    readOfficers(subject, ports, limits),
    readLeaderChanges(subject, ports, limits),
  ]);
  // Without a ticker, no change reports are expected.
  if (subject.ticker === undefined) return officers;
  const joined = joinLenses([officers, changes]);
  // Change reports alone do not list the current officers.
  const isWhole = joined.status !== 'ok' || officers.status === 'ok';
  return isWhole ? joined : { ...joined, status: 'partial' };
};

async function readLeaderChanges(
  subject: VettingSubject,
  ports: VettingPorts,
  limits: ReadLimits,
): Promise<LensResult> {
  const filer = await findFiler(subject, ports, limits);
  return 'cik' in filer ? readCurrentReports(ports, { filer, items: ITEMS }, limits) : filer;
}

async function readOfficers(
  { records = [] }: VettingSubject,
  { registries, screenings }: VettingPorts,
  limits: ReadLimits,
): Promise<LensResult> {
  const asked = records.flatMap(({ registry: id, number }) => {
    const registry = registries.find((one) => one.id === id);
    return registry?.listOfficers === undefined
      ? []
      : [{ id, read: registry.listOfficers(number, limits) }];
  });
  if (asked.length === 0) {
    const note = 'No registry with a record of it publishes its officers.';
    return emptyResult('no_data', note);
  }
  const answers = await Promise.all(
    asked.map(async ({ id, read }) => ({ id, reading: await read })),
  );
  const read = answers.flatMap(({ id, reading }) => (reading.ok ? [{ id, ...reading }] : []));
  const found = read.flatMap(({ value, id }, place) => value.map((one) => ({ one, id, place })));
  const names = found.map(({ one }) => one.name);
  const screened = names.length === 0 ? undefined : await screenNames(names, screenings);
  const sources: UnnumberedSource[] = [
    ...read.map(({ source }) => source),
    ...(screened?.sources ?? []),
  ];
  const faults = [
    ...answers.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault])),
    ...(screened?.faults ?? []),
  ];
  const hits = (screened?.hits ?? []).map(({ hit, place }) =>
    createHitFinding(
      { hit, place: place + read.length },
      { rule: 'officer_listed_name', sure: 'medium', who: hit.asked },
    ),
  );
  return {
    status: statusOf({ read: read.length, found: found.length, faults: faults.length }),
    note: names.length === 0 ? 'The registries list no officers.' : NAMESAKES,
    findings: [...found.map(({ one, id, place }) => officerFinding(one, id, place)), ...hits],
    figures: [],
    searched: [...read.map(({ id }) => `people in ${id}`), ...(screened?.searched ?? [])],
    sources,
    faults,
  };
}

function officerFinding({ name, role, since }: Officer, registry: string, place: number) {
  const begun = since === null ? '' : `, since ${since}`;
  return createFinding('officer', 'info', `${name}: ${role} by ${registry}${begun}.`, place);
}

function statusOf(count: { read: number; found: number; faults: number }): LensResult['status'] {
  if (count.read === 0) return 'failed';
  if (count.faults > 0) return 'partial';
  return count.found === 0 ? 'no_data' : 'ok';
}
