import { splitWords, stemWord } from '../news/topic.ts';
import type { Passage } from './passage.ts';

/** BM25 parameters: term saturation (k1) and length normalization (b). */
const [SATURATION, LENGTH_SHARE] = [1.2, 0.75];

/** A passage with its relevance score. */
export interface RankedPassage {
  readonly passage: Passage;
  readonly score: number;
}

/**
 * Ranks the passages that contain words of a question, best first (Okapi BM25 over these passages).
 */
export function rankPassages(
  passages: readonly Passage[],
  question: string,
): readonly RankedPassage[] {
  const queryStems = [...new Set(contentWords(question).map(stemWord))];
  const wordCounts = passages.map(({ text }) => countWords(text));
  const mean =
    wordCounts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, wordCounts.length);
  const rarity = new Map(
    queryStems.map((word) => {
      const holding = wordCounts.filter(({ counts }) => counts.has(word)).length;
      return [word, Math.log(1 + (wordCounts.length - holding + 0.5) / (holding + 0.5))] as const;
    }),
  );
  return passages
    .map((passage, at) => {
      const { counts, length } = wordCounts[at] ?? countWords('');
      const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / Math.max(1, mean));
      const score = queryStems.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        return sum + ((rarity.get(word) ?? 0) * count * (SATURATION + 1)) / (count + norm);
      }, 0);
      return { passage, score };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
}

/** Returns the content words of a text, without stop words. */
export function contentWords(text: string): readonly string[] {
  return splitWords(text).filter((word) => word.length > 1 && !STOP_WORDS.has(word));
}

const STOP_WORDS = new Set(
  `a an and are as at be but by can could did do does for from had has have how if in into is it its
  of on or should so than that the their them then there these they this to was were what when where
  which who why will with would you your`.split(/\s+/),
);

function countWords(text: string): {
  readonly counts: Map<string, number>;
  readonly length: number;
} {
  const words = splitWords(text).map(stemWord);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}
