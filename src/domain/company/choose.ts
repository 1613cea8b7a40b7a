import { LIKELY_SCORE, matchNames } from './match.ts';
import type { MatchedRecord, RegistryRecord } from './report.ts';

/** Maximum number of candidates returned. */
export const CANDIDATES_MAX = 10;
/** Minimum score of a candidate. */
const CANDIDATE_SCORE_MIN = 0.75;

/** A record with the id of its source. */
export interface CitedRecord {
  readonly record: RegistryRecord;
  readonly cited: string;
}

/** Records that match a query. */
export interface Selection {
  readonly outcome: 'found' | 'ambiguous' | 'no_match';
  readonly records: MatchedRecord[];
  readonly candidates: MatchedRecord[];
}

/** Selects records found by number; each registry has at most one. */
export function chooseByNumber(found: readonly CitedRecord[]): Selection {
  const records = found.map(({ record, cited }): MatchedRecord => {
    return { ...record, match: { score: 1, method: 'number' }, cited };
  });
  return { outcome: records.length > 0 ? 'found' : 'no_match', records, candidates: [] };
}

/**
 * Selects records that match a name. At most one record per registry can be the entity; if several
 * match equally, all of them are candidates.
 */
export function chooseByName(name: string, found: readonly CitedRecord[]): Selection {
  const matched = found
    .map(
      ({ record, cited }): MatchedRecord => ({ ...record, match: bestMatch(name, record), cited }),
    )
    .filter(({ match }) => match.score >= CANDIDATE_SCORE_MIN)
    .sort((one, other) => other.match.score - one.match.score);
  const likely = matched.filter(({ match }) => match.score >= LIKELY_SCORE);
  const isExact = likely.some(({ match }) => match.score === 1);
  const fitting = isExact ? likely.filter(({ match }) => match.score === 1) : likely;
  const isSingle = [...new Set(fitting.map(({ registry }) => registry))].every(
    (registry) => fitting.filter((one) => one.registry === registry).length === 1,
  );
  const records = isSingle ? fitting : [];
  const candidates = matched.filter((one) => !records.includes(one)).slice(0, CANDIDATES_MAX);
  const outcome = fitting.length === 0 ? 'no_match' : isSingle ? 'found' : 'ambiguous';
  return { outcome, records, candidates: candidates };
}

/** Returns the best match among the record's names. */
function bestMatch(
  name: string,
  { entity_name, other_names }: RegistryRecord,
): MatchedRecord['match'] {
  const matches = [entity_name, ...other_names].map((one) => matchNames(name, one));
  return matches.reduce((one, other) => (other.score > one.score ? other : one));
}
