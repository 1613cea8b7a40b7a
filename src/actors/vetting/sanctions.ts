import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { Screening } from '../../domain/screening/screening.ts';
import type { ScreeningHit } from '../../domain/screening/screening-index.ts';
import { createFinding, type FindingSeverity, type LensResult } from '../../domain/vetting/lens.ts';
import type { Lens } from './lenses.ts';

/** Score from which a sanctions hit is reported as certain; below it, a person must check. */
const SURE_SCORE = 0.95;
/** Maximum number of names screened per subject. */
export const NAMES_SCREENED_MAX = 60;

/** Screens the subject's requested name and its registered names against sanctions lists. */
export const sanctions: Lens = async ({ name, records = [] }, { screenings }) => {
  const known = records.flatMap(({ entity_name, other_names }) => [entity_name, ...other_names]);
  const screened = await screenNames([name, ...known], screenings);
  const { sources, faults, searched } = screened;
  const findings = screened.hits.map((hit) => createHitFinding(hit, SUBJECT));
  return {
    status: sources.length === 0 ? 'failed' : faults.length > 0 ? 'partial' : 'ok',
    note: screeningNote(screened),
    findings,
    figures: [],
    searched,
    sources,
    faults,
  };
};

const SUBJECT = { rule: 'sanctions_hit', sure: 'high' } as const;

/** A hit with the index of its list among the sources. */
export interface HitWithSource {
  readonly hit: ScreeningHit;
  readonly place: number;
}

/** The result of screening names against all lists. */
export interface ScreenedNames {
  readonly hits: readonly HitWithSource[];
  readonly searched: string[];
  readonly sources: UnnumberedSource[];
  readonly faults: DataFailure[];
}

/** Searches all lists in parallel. Unreadable lists are reported as faults. */
export async function screenNames(
  names: readonly string[],
  screenings: readonly Screening[],
): Promise<ScreenedNames> {
  const asked = [...new Set(names)].slice(0, NAMES_SCREENED_MAX);
  const readings = await Promise.all(screenings.map((lists) => lists.screen(asked)));
  const read = readings.filter((reading) => reading.ok);
  return {
    hits: read.flatMap(({ value }, place) => value.hits.map((hit) => ({ hit, place }))),
    searched: read.flatMap(({ value, source }) => describeLists(value.lists, source)),
    sources: read.map(({ source }) => source),
    faults: readings.flatMap((reading) => (reading.ok ? [] : [reading.fault])),
  };
}

/** Creates the finding of a hit; `who` names the party if it is not the subject. */
export function createHitFinding(
  { hit: { party, matched, match, grade }, place }: HitWithSource,
  o: { readonly rule: string; readonly sure: FindingSeverity; readonly who?: string },
): LensResult['findings'][number] {
  const listed = `${matched} (${party.kind ?? 'party'} ${party.id})`;
  const about = o.who === undefined ? '' : `${o.who}: `;
  const severity = match.score >= SURE_SCORE ? o.sure : 'medium';
  const doubt = grade === 'likely' ? '' : ', possible match: abbreviated or spelled differently';
  const claim = `${about}${listed} on ${party.list}: score ${match.score}${doubt}.`;
  return createFinding(o.rule, severity, claim, place);
}

/**
 * Describes the searched lists with size and date, because a clean result is only as good as they
 * are.
 */
function describeLists(
  lists: readonly { readonly list: string; readonly parties: number }[],
  { retrieved_at, revalidated_at }: UnnumberedSource,
): readonly string[] {
  const read = revalidated_at ?? retrieved_at;
  return lists.map(({ list, parties }) => `${list}: ${parties} parties, as of ${read}`);
}

function screeningNote({ sources, faults }: ScreenedNames): string {
  if (sources.length === 0) {
    return 'The sanctions lists could not be read, so sanctions were not checked.';
  }
  const no = 'No hit only means no hit on the searched lists.';
  const missing = faults.map(({ upstream }) => upstream).join(', ');
  return faults.length === 0 ? no : `${no} The lists of ${missing} were not checked.`;
}
