import { stemOf, wordsOf } from '../news/topic.ts';
import type { Passage } from './passage.ts';

/** BM25 parameters: term saturation (k1) and length normalization (b). */
const [SATURATION, LENGTH_SHARE] = [1.2, 0.75];

/** A passage with its relevance score. */
export interface Ranked {
  readonly passage: Passage;
  readonly score: number;
}

/**
 * Ranks the passages that contain words of a question, best first (Okapi BM25 over these passages).
 */
export function rankPassages(passages: readonly Passage[], question: string): readonly Ranked[] {
  const asked = [...new Set(tellingWords(question).map(stemOf))];
  const bags = passages.map(({ text }) => bagOf(text));
  const mean = bags.reduce((sum, { length }) => sum + length, 0) / Math.max(1, bags.length);
  const rarity = new Map(
    asked.map((word) => {
      const holding = bags.filter(({ counts }) => counts.has(word)).length;
      return [word, Math.log(1 + (bags.length - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  return passages
    .map((passage, at) => {
      const { counts, length } = bags[at] ?? bagOf('');
      const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / Math.max(1, mean));
      const score = asked.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        return sum + ((rarity.get(word) ?? 0) * count * (SATURATION + 1)) / (count + norm);
      }, 0);
      return { passage, score };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
}

/** Returns the content words of a text, without stop words. */
export function tellingWords(text: string): readonly string[] {
  return wordsOf(text).filter((word) => word.length > 1 && !ASKING.has(word));
}

const ASKING = new Set(
  `a an and are as at be but by can could did do does for from had has have how if in into is it its
  of on or should so than that the their them then there these they this to was were what when where
  which who why will with would you your`.split(/\s+/),
);

function bagOf(text: string): { readonly counts: Map<string, number>; readonly length: number } {
  const words = wordsOf(text).map(stemOf);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}
