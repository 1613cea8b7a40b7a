import type { SourceReading } from '../data/upstreams.ts';
import type { ScreeningHit } from './screening-index.ts';

/** Hits of a screening, and the searched lists. */
export interface ScreeningResult {
  readonly hits: readonly ScreeningHit[];
  /** Searched lists with the number of parties on each. */
  readonly lists: readonly { readonly list: string; readonly parties: number }[];
}

/** Sanctions lists. Failures of a source are returned, never thrown. */
export interface Screening {
  screen(names: readonly string[]): Promise<SourceReading<ScreeningResult>>;
}
