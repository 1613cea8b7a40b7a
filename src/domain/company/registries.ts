import type { Reading } from '../data/upstreams.ts';
import type { ReadLimits } from '../filing/filings.ts';
import type { Officer } from './officer.ts';
import type { RegistryRecord } from './report.ts';

/** One public registry of businesses. */
export interface Registry {
  readonly id: string;
  /** Jurisdictions that it answers for, such as `no` or `us-co`; `global` for all. */
  readonly jurisdiction: string;
  /** Variables that are missing for it to answer at all. */
  readonly missing: readonly string[];
  /** Tells whether a text can be a number there. */
  isNumber(text: string): boolean;
  /** Records that may fit a name, the likeliest first, 20 at the most. */
  byName(name: string, limits: ReadLimits): Promise<Reading<readonly RegistryRecord[]>>;
  /** The record with that number; none where there is none. */
  byNumber(number: string, limits: ReadLimits): Promise<Reading<readonly RegistryRecord[]>>;
  /** Who runs the entity with that number now. Absent where the registry does not say. */
  officers?(number: string, limits: ReadLimits): Promise<Reading<readonly Officer[]>>;
}

/** Which parent is meant: the next one, or the one at the top. */
export type ParentLevel = 'direct' | 'ultimate';

/** What is on record of the parents of an entity at one level. */
export interface ParentAnswer {
  readonly parents: readonly RegistryRecord[];
  /** Why no parent is told, in the word of the registry; `null` where it says nothing. */
  readonly exception: string | null;
}

/** Who owns whom, by global identifiers. */
export interface Relations {
  /** @param lei - A global identifier, 20 signs. */
  parents(lei: string, level: ParentLevel, limits: ReadLimits): Promise<Reading<ParentAnswer>>;
}
