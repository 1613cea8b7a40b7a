import { type NormalizedName, normalizeName } from './names.ts';

/** Similarity of two names from 0 to 1, and the method. */
export interface NameMatch {
  readonly score: number;
  readonly method: 'exact' | 'same_words' | 'similar';
}

/** Minimum similarity of names that may denote the same entity. */
export const LIKELY_SCORE = 0.88;
/** Maximum score of names that are similar but not equal. */
const SIMILAR_MAX = 0.99;

/**
 * Compares two names; symmetric. The score is 1 only if nothing but case, accents, script,
 * punctuation and legal forms differ.
 */
export function matchNames(one: string, other: string): NameMatch {
  return matchNormalized(normalizeName(one), normalizeName(other));
}

/** Compares two normalized names. */
export function matchNormalized(one: NormalizedName, other: NormalizedName): NameMatch {
  if (one.text === '' || other.text === '') return { score: 0, method: 'similar' };
  if (one.text === other.text) return { score: 1, method: 'exact' };
  const sorted = ({ words }: NormalizedName) => [...words].sort().join(' ');
  if (sorted(one) === sorted(other)) return { score: 0.98, method: 'same_words' };
  const fullScore = jaroWinkler(one.text, other.text);
  const parts = fullScore + scoreWords(one.words, other.words) + scorePairs(one.text, other.text);
  const score = Math.min(SIMILAR_MAX, parts / 3);
  return { score: Math.round(score * 1_000) / 1_000, method: 'similar' };
}

/** Returns the word similarity in both directions, weighted by word length. */
function scoreWords(one: readonly string[], other: readonly string[]): number {
  return (scoreCoverage(one, other) + scoreCoverage(other, one)) / 2;
}

function scoreCoverage(words: readonly string[], others: readonly string[]): number {
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  const found = words.reduce((sum, word) => {
    const best = Math.max(...others.map((other) => jaroWinkler(word, other)));
    // Low similarity counts as none.
    return sum + (best < 0.8 ? 0 : best) * word.length;
  }, 0);
  return found / letters;
}

/** Returns the share of common letter pairs; low for names that only start alike. */
function scorePairs(one: string, other: string): number {
  const ofOne = countPairs(one);
  const ofOther = countPairs(other);
  let common = 0;
  for (const [pair, count] of ofOne) common += Math.min(count, ofOther.get(pair) ?? 0);
  const all = one.length + other.length - 2;
  return all <= 0 ? 0 : (2 * common) / all;
}

function countPairs(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/**
 * Returns the Jaro-Winkler similarity from 0 to 1; a common prefix of up to four letters adds to
 * it. The result depends on the order of the texts, so the shorter one, or else the lesser one,
 * goes first.
 */
export function jaroWinkler(one: string, other: string): number {
  if (one === other) return 1;
  const isFirst = one.length < other.length || (one.length === other.length && one < other);
  const [first, second] = isFirst ? [one, other] : [other, one];
  const reach = Math.max(0, Math.floor(second.length / 2) - 1);
  const used = new Set<number>();
  const ofFirst: string[] = [];
  for (let at = 0; at < first.length; at += 1) {
    const position = findUnused(first[at] ?? '', second, { taken: used, at, reach });
    if (position < 0) continue;
    used.add(position);
    ofFirst.push(first[at] ?? '');
  }
  const common = ofFirst.length;
  if (common === 0) return 0;
  const ofSecond = [...used].sort((a, b) => a - b).map((place) => second[place]);
  const transpositions = ofFirst.filter((letter, at) => letter !== ofSecond[at]).length / 2;
  const jaro =
    (common / first.length + common / second.length + (common - transpositions) / common) / 3;
  let start = 0;
  while (start < 4 && first[start] !== undefined && first[start] === second[start]) start += 1;
  return jaro + start * 0.1 * (1 - jaro);
}

interface SearchWindow {
  readonly taken: ReadonlySet<number>;
  readonly at: number;
  readonly reach: number;
}

/** Returns the first unused position of the letter within reach, or -1. */
function findUnused(sign: string, text: string, { taken, at, reach }: SearchWindow): number {
  const last = Math.min(text.length - 1, at + reach);
  for (let place = Math.max(0, at - reach); place <= last; place += 1) {
    if (!taken.has(place) && text[place] === sign) return place;
  }
  return -1;
}
