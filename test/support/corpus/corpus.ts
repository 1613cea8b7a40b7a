import { disguisedDevelopment } from './disguised-development.ts';
import { disguisedHeldOut } from './disguised-held-out.ts';
import { type CorpusEntry, definitionOf, type Family, type Half } from './family.ts';
import { hardDevelopment } from './hard-development.ts';
import { hardHeldOut } from './hard-held-out.ts';
import { ordinaryDevelopment } from './ordinary-development.ts';
import { ordinaryHeldOut } from './ordinary-held-out.ts';
import { poisonedDevelopment } from './poisoned-development.ts';
import { poisonedHeldOut } from './poisoned-held-out.ts';
import { tuneOrdinary } from './tune-ordinary.ts';
import { tunePoisoned } from './tune-poisoned.ts';
import { tuneReasons } from './tune-reasons.ts';
import { unseenOrdinary } from './unseen-ordinary.ts';
import { unseenPoisoned } from './unseen-poisoned.ts';

const POISONED_SEEDS = 8;
const ORDINARY_SEEDS = 6;
/** The second set has more families, and each wording once. */
const SECOND_SEEDS = 5;

const HALVES: Readonly<Record<Half, readonly Family[]>> = {
  development: [
    ...poisonedDevelopment,
    ...disguisedDevelopment,
    ...ordinaryDevelopment,
    ...hardDevelopment,
  ],
  'held-out': [...poisonedHeldOut, ...disguisedHeldOut, ...ordinaryHeldOut, ...hardHeldOut],
  tune: [...tunePoisoned, ...tuneOrdinary, ...tuneReasons],
  unseen: [...unseenPoisoned, ...unseenOrdinary],
};

/** All entries of a half; the same ones each time. */
export function corpusOf(half: Half): readonly CorpusEntry[] {
  return HALVES[half].flatMap((family) => {
    const poisoned = family.poison !== undefined;
    return Array.from({ length: seedsOf(half, poisoned) }, (_one, seed) => ({
      id: `${family.id}-${seed}`,
      poisoned,
      class: family.class,
      half,
      definition: definitionOf(family, seed, half),
    }));
  });
}

function seedsOf(half: Half, isPoisoned: boolean): number {
  if (half === 'tune' || half === 'unseen') return SECOND_SEEDS;
  return isPoisoned ? POISONED_SEEDS : ORDINARY_SEEDS;
}

/** A half as JSON lines; letters beyond ASCII are escaped, so that nothing in them is unseen. */
export function corpusLines(half: Half): string {
  return corpusOf(half)
    .map((entry) => `${JSON.stringify(entry).replace(/[^ -~]/g, escaped)}\n`)
    .join('');
}

/** The families of a half. */
export function familiesOf(half: Half): readonly Family[] {
  return HALVES[half];
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
