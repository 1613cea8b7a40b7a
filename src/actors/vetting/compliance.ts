import type { SourceFacts } from '../../domain/data/source.ts';
import { chooseByName } from '../../domain/registry/choose.ts';
import type { ScreeningHit } from '../../domain/sanctions/screen.ts';
import type { LensResult } from '../../domain/vetting/lens.ts';
import { lookUp } from '../registry/look-up.ts';
import type { Lens, VettingPorts, VettingSubject } from './lenses.ts';

/** From this score on a hit on a list is told as high; below it somebody has to look. */
const SURE_SCORE = 0.95;

/** Registries and lists: whether there is such a company, and who is listed under its names. */
export const compliance: Lens = async (subject, ports, limits) => {
  const registries = registriesFor(subject, ports);
  const answers = await lookUp(registries, { name: subject.name }, limits);
  const sources: SourceFacts[] = [];
  const found = answers.flatMap(({ source, records }) => {
    if (source === null) return [];
    const cited = String(sources.push(source) - 1);
    return records.map((record) => ({ record, cited }));
  });
  const chosen = chooseByName(subject.name, found);
  const names = new Set([subject.name, ...chosen.records.map(({ entity_name }) => entity_name)]);
  const screened = await ports.screening.screen([...names]);
  const place = screened.ok ? sources.push(screened.source) - 1 : -1;
  const hits = screened.ok ? screened.value.hits.map((hit) => listed(hit, place)) : [];
  const standing = chosen.records.flatMap(({ status, registry, entity_name, cited }) =>
    status === 'dissolved' || status === 'insolvent'
      ? [
          {
            ...{ rule: 'not_in_good_standing', severity: 'high' as const, cited: [Number(cited)] },
            claim: `${entity_name} is ${status} in ${registry}.`,
          },
        ]
      : [],
  );
  const faults = [
    ...answers.flatMap(({ fault }) => fault ?? []),
    ...(screened.ok ? [] : [screened.fault]),
  ];
  return {
    // Without the lists nothing can be said about sanctions, whatever the registries say.
    status: sources.length === 0 ? 'failed' : faults.length > 0 ? 'partial' : 'ok',
    note: noteOf(screened.ok, chosen.outcome),
    findings: [...hits, ...standing],
    figures: [],
    searched: [
      ...answers.flatMap(({ registry, source }) => (source === null ? [] : [registry])),
      ...(screened.ok ? listsOf(screened.value.lists, screened.source) : []),
    ],
    ...{ sources, faults },
  };
};

function registriesFor({ jurisdiction }: VettingSubject, { registries }: VettingPorts) {
  const able = registries.filter(({ missing }) => missing.length === 0);
  if (jurisdiction === undefined) return able;
  return able.filter((one) => one.jurisdiction === jurisdiction || one.jurisdiction === 'global');
}

function listed(
  { party, matched, match }: ScreeningHit,
  cited: number,
): LensResult['findings'][number] {
  const who = `${matched} (${party.kind ?? 'party'} ${party.id})`;
  const sure = match.score >= SURE_SCORE;
  return {
    ...{ rule: 'sanctions_hit', severity: sure ? 'high' : 'medium', cited: [cited] },
    claim: `${who} on ${party.list}: score ${match.score}.`,
  };
}

/** A clean answer is only as good as what was searched: lists, how many are on each, and when. */
function listsOf(
  lists: readonly { readonly list: string; readonly parties: number }[],
  { retrieved_at, revalidated_at }: SourceFacts,
): readonly string[] {
  const read = revalidated_at ?? retrieved_at;
  return lists.map(({ list, parties }) => `${list}: ${parties} parties, as of ${read}`);
}

function noteOf(isScreened: boolean, outcome: string): string {
  const lists = isScreened
    ? 'No hit means no hit on the lists in searched, and no more.'
    : 'The sanctions lists could not be read: nothing is said about sanctions.';
  const entity = {
    found: '',
    ambiguous: ' Several records of registries fit the name alike.',
    no_match: ' No record of the registries in searched fits the name.',
  }[outcome];
  return `${lists}${entity ?? ''}`;
}
