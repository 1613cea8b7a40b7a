import type { SourceReading } from '../data/upstreams.ts';
import type { ReadLimits } from '../filing/filings.ts';
import type { Officer } from './officer.ts';
import type { RegistryRecord } from './report.ts';

/** A public business registry. */
export interface Registry {
  readonly id: string;
  /** Jurisdiction it covers, such as `no` or `us-co`; `global` for all. */
  readonly jurisdiction: string;
  /** Environment variables that are missing for the registry to work. */
  readonly missing: readonly string[];
  /** Returns whether a text has the form of a number of this registry. */
  isNumber(text: string): boolean;
  /** Returns records that may match a name, most likely first, at most 20. */
  findByName(name: string, limits: ReadLimits): Promise<SourceReading<readonly RegistryRecord[]>>;
  /** Returns the record with that number, or an empty list. */
  findByNumber(
    number: string,
    limits: ReadLimits,
  ): Promise<SourceReading<readonly RegistryRecord[]>>;
  /** Returns the current officers of the entity. Absent if the registry does not publish them. */
  listOfficers?(number: string, limits: ReadLimits): Promise<SourceReading<readonly Officer[]>>;
}

/** Level of a parent: the direct or the ultimate one. */
export type ParentLevel = 'direct' | 'ultimate';

/** Recorded parents of an entity at one level. */
export interface ParentAnswer {
  readonly parents: readonly RegistryRecord[];
  /** Reporting exception as stated by the registry; `null` if there is none. */
  readonly exception: string | null;
}

/** Ownership relations by global identifiers. */
export interface OwnershipRelations {
  /** @param lei - A global identifier of 20 characters. */
  parents(
    lei: string,
    level: ParentLevel,
    limits: ReadLimits,
  ): Promise<SourceReading<ParentAnswer>>;
}
