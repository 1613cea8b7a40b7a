import { jaroWinkler } from '../company/match.ts';
import type { NormalizedName } from '../company/names.ts';

/** Minimum share of the letters of the shorter name that the longer one must contain. */
const COVERED_MIN = 0.9;
/** Minimum similarity of two spellings of one word. */
const WORD_SCORE_MIN = 0.9;
/** Maximum difference in length of two spellings of one word. */
const LENGTHS_APART_MAX = 3;
/** Minimum similarity of two words with the same phonetic code. */
const SOUND_SCORE_MIN = 0.7;
/** Minimum length of a single-word name, because short ones match too often. */
const LONE_WORD_LETTERS_MIN = 5;

/**
 * Returns how far one name may be a short form or another spelling of the other, from 0 to 1. The
 * value is the share of letters of the shorter name whose words the longer one contains. 0 is no
 * match.
 */
export function matchNameVariant(one: NormalizedName, other: NormalizedName): number {
  const [shorter, longer] = one.words.length <= other.words.length ? [one, other] : [other, one];
  const words = shorter.words.filter((word) => !PARTICLES.has(word));
  const others = addJoinedPairs(longer.words.filter((word) => !PARTICLES.has(word)));
  const distinctive = words.filter((word) => word.length > 1 && !GENERIC_WORDS.has(word));
  const [first = ''] = distinctive;
  if (distinctive.length === 0) return 0;
  if (words.length === 1 && first.length < LONE_WORD_LETTERS_MIN) return 0;
  const letters = words.reduce((sum, { length }) => sum + length, 0);
  const isFound = (word: string) => others.some((each) => isSameWord(word, each));
  const found = words.filter((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (isFound(word) || (before !== undefined && isFound(before + word))) return true;
    return after !== undefined && isFound(word + after);
  });
  const covered = found.reduce((sum, { length }) => sum + length, 0) / letters;
  return covered >= COVERED_MIN && distinctive.some((word) => found.includes(word)) ? covered : 0;
}

/**
 * Returns the words and each pair of adjacent words as one: Abd al-Rahman is also written
 * Abdulrahman.
 */
function addJoinedPairs(words: readonly string[]): readonly string[] {
  return [...words, ...words.slice(1).map((word, at) => `${words[at]}${word}`)];
}

function isSameWord(word: string, other: string): boolean {
  if (word === other) return true;
  if (word.length === 1) return other.startsWith(word);
  if (Math.abs(word.length - other.length) > LENGTHS_APART_MAX) return false;
  const score = jaroWinkler(word, other);
  if (score >= WORD_SCORE_MIN) return true;
  return score >= SOUND_SCORE_MIN && phoneticCode(word) === phoneticCode(other);
}

/**
 * Returns the consonants of a word by sound. Transliterations of one name differ in vowels, doubled
 * letters, and letters that other scripts lack.
 */
export function phoneticCode(word: string): string {
  const plain = word
    .replace(/ph/g, 'f')
    .replace(/(?:sch|sh|ch|tch)/g, 's')
    .replace(/(?:kh|gh|ck|[cgq])/g, 'k')
    .replace(/dh|dj/g, 'd')
    .replace(/th/g, 't')
    .replace(/x/g, 'ks')
    .replace(/[zj]/g, (sign) => (sign === 'z' ? 's' : 'y'))
    .replace(/[wu](?=[aeiou])/g, 'v');
  const consonants = plain.replace(/[aeiouyh]/g, '').replace(/w/g, 'v');
  const once = Array.from(consonants).filter((sign, at) => sign !== consonants[at - 1]);
  return consonants === '' ? plain.slice(0, 1) : once.join('');
}

/** Particles in personal names. */
const PARTICLES: ReadonlySet<string> = new Set(
  'al el ul ud bin ben ibn bint abu abou de del der den di da do dos du la le van von y and the of'
    .split(' ')
    .concat(['for', 'und', 'et', 'e']),
);

/** Words common in company names, which distinguish nothing. */
const GENERIC_WORDS: ReadonlySet<string> = new Set(
  [
    'trading trade general international company companies group holding holdings industries',
    'industry industrial services service import export imports exports limited global national',
    'bank commercial investment investments development shipping transport logistics energy oil',
    'gas petroleum construction engineering technology technologies systems center centre',
    'corporation enterprise enterprises foundation organization society association institute',
    'university management marine maritime airlines aviation electronics products solutions',
    'consulting partners capital finance financial insurance foods medical new world east west',
    'north south middle central united first star',
  ]
    .join(' ')
    .split(' '),
);
