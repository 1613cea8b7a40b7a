import type { Reading } from '../data/upstreams.ts';
import type { ScreeningHit } from './screen.ts';

/** What a search of lists found, and where it looked. */
export interface Screened {
  readonly hits: readonly ScreeningHit[];
  /** Lists that were searched, with how many are on each. */
  readonly lists: readonly { readonly list: string; readonly parties: number }[];
}

/** Lists of sanctioned parties. Never throws for what an upstream does. */
export interface Screening {
  screen(names: readonly string[]): Promise<Reading<Screened>>;
}
