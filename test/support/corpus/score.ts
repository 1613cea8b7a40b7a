import { corpusOf } from './corpus.ts';
import type { CorpusEntry, Half } from './family.ts';

/** How well a check tells poisoned definitions from ordinary ones. */
export interface Score {
  /** Share of the reported ones that are poisoned. */
  readonly precision: number;
  /** Share of the poisoned ones that are reported. */
  readonly recall: number;
  /** Ids of poisoned definitions that were not reported. */
  readonly missed: readonly string[];
  /** Ids of ordinary definitions that were reported. */
  readonly wrong: readonly string[];
  /** Recall of each kind of poison. */
  readonly recallByClass: Readonly<Record<string, number>>;
}

/** Runs a check on each definition of a half; it says whether it reports the definition. */
export function scoreOf(
  half: Half,
  reports: (definition: CorpusEntry['definition']) => boolean,
): Score {
  const judged = corpusOf(half).map((entry) => ({ ...entry, found: reports(entry.definition) }));
  const poisoned = judged.filter((entry) => entry.poisoned);
  const hits = poisoned.filter(({ found }) => found);
  const wrong = judged.filter((entry) => !entry.poisoned && entry.found);
  const classes = [...new Set(poisoned.map((entry) => entry.class))];
  return {
    precision: share(hits.length, hits.length + wrong.length),
    recall: share(hits.length, poisoned.length),
    missed: poisoned.filter(({ found }) => !found).map(({ id }) => id),
    wrong: wrong.map(({ id }) => id),
    recallByClass: Object.fromEntries(
      classes.map((name) => {
        const own = poisoned.filter((entry) => entry.class === name);
        return [name, share(own.filter(({ found }) => found).length, own.length)];
      }),
    ),
  };
}

// Nothing reported is not wrong, and finds nothing.
function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
