import { DAY_MS } from '../../domain/common/time.ts';
import { chooseByName, type Selection } from '../../domain/company/choose.ts';
import type { MatchedRecord } from '../../domain/company/report.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import { createFinding, type LensResult } from '../../domain/vetting/lens.ts';
import { lookUpEntity } from '../company/look-up-entity.ts';
import type { Lens, VettingPorts, VettingSubject } from './lenses.ts';

/** Age below which an entity is considered young, in days. */
export const YOUNG_DAYS = 365;

/** Identifies the subject in public registries: records with number, status, and age. */
export const identity: Lens = async (subject, ports, limits) => {
  const seen = await registration(subject, ports, limits);
  const now = ports.clock.now();
  const facts = (seen.records ?? []).flatMap((record) => recordFindings(record, now));
  return { ...seen, findings: [...facts, ...seen.findings] };
};

/** Checks whether registries know the subject, and whether it is in good standing. */
export const registration: Lens = async (subject, ports, limits) => {
  const registries = selectRegistries(subject, ports);
  const answers = await lookUpEntity(registries, { name: subject.name }, limits);
  const sources: UnnumberedSource[] = [];
  const found = answers.flatMap(({ source, records }) => {
    if (source === null) return [];
    const cited = String(sources.push(source) - 1);
    return records.map((record) => ({ record, cited }));
  });
  const chosen = chooseByName(subject.name, found);
  const faults = answers.flatMap(({ fault }) => fault ?? []);
  return {
    status: statusOf(chosen.outcome, { answers: sources.length, faults: faults.length }),
    note: NOTES[chosen.outcome],
    findings: chosen.records.flatMap(statusFindings),
    figures: [],
    searched: answers.flatMap(({ registry, source }) => (source === null ? [] : [registry])),
    sources,
    faults,
    records: chosen.records,
  };
};

const NOTES: Readonly<Record<Selection['outcome'], string | null>> = {
  found: null,
  ambiguous: 'Several registry records match the name equally, so none was chosen.',
  no_match: 'No record in the searched registries matches the name.',
};

function statusOf(
  outcome: Selection['outcome'],
  count: { readonly answers: number; readonly faults: number },
): LensResult['status'] {
  if (count.answers === 0) return 'failed';
  if (count.faults > 0 || outcome === 'ambiguous') return 'partial';
  return outcome === 'found' ? 'ok' : 'no_data';
}

function selectRegistries({ jurisdiction }: VettingSubject, { registries }: VettingPorts) {
  const able = registries.filter(({ missing }) => missing.length === 0);
  if (jurisdiction === undefined) return able;
  return able.filter((one) => one.jurisdiction === jurisdiction || one.jurisdiction === 'global');
}

function statusFindings(record: MatchedRecord): LensResult['findings'] {
  const { status, registry, entity_name, cited } = record;
  if (status !== 'dissolved' && status !== 'insolvent') return [];
  const claim = `${entity_name} is ${status} in ${registry}.`;
  return [createFinding('not_in_good_standing', 'high', claim, Number(cited))];
}

function recordFindings(record: MatchedRecord, now: number): LensResult['findings'] {
  const { entity_name, number, registry, status, incorporated_on: since, cited } = record;
  const born = since === null ? '' : `, since ${since}`;
  const claim = `${entity_name} is number ${number} in ${registry}: ${status}${born}.`;
  const place = Number(cited);
  const told = createFinding('registered', 'info', claim, place);
  if (since === null || now - Date.parse(since) >= YOUNG_DAYS * DAY_MS) return [told];
  const young = `${entity_name} has been in ${registry} for less than a year, since ${since}.`;
  return [told, createFinding('young_entity', 'medium', young, place)];
}
