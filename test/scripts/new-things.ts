/** A kind of thing that `npm run new` writes. */
export interface NewKind {
  readonly what: string;
  readonly about: string;
  readonly example: string;
}

/** What a new thing would write, before it is written. */
export interface NewPlan {
  /** All written files, changed ones included. */
  readonly paths: readonly string[];
  /** The same without the thing's own test. */
  readonly places: readonly string[];
  readonly left: readonly string[];
}

const kinds = (await import('../../scripts/lib/new/kinds.mjs' as string)) as {
  readonly KINDS: readonly NewKind[];
  planNew(root: string, what: string, name: string): NewPlan;
};

/** All kinds, in the order of the usage. */
export const { KINDS, planNew } = kinds;

/** Most places that somebody touches for a new thing, beside its own test and generated pages. */
export const PLACES_MAX = 3;
