import type { RegistryRecord } from '../registry/report.ts';
import type { ReadLimits } from './filings.ts';
import type { Reading } from './upstreams.ts';

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
}
