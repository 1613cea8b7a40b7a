/** Maximum number of terms of a topic. */
export const TOPIC_TERMS_MAX = 12;
/** Maximum length of a topic, in characters. */
export const TOPIC_CHARS_MAX = 200;

/** A search topic. A matching text contains every term and every exact phrase. */
export interface Topic {
  readonly terms: readonly string[];
  readonly phrases: readonly string[];
}

const STOP_WORDS = new Set(
  'a an and are as at be by for from in is it its of on or that the to was were with'.split(' '),
);
/** Scripts without spaces between words. */
const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Parses a topic of words and double-quoted phrases. Stop words are ignored. */
export function parseTopic(text: string): Topic {
  const phrases = [...text.matchAll(/"([^"]{1,100})"/g)].map(([, inner = '']) =>
    normalizeText(inner),
  );
  const rest = text.replaceAll(/"[^"]*"/g, ' ');
  const terms = splitWords(rest).filter((word) => !STOP_WORDS.has(word));
  return {
    terms: [...new Set(terms)].slice(0, TOPIC_TERMS_MAX),
    phrases: phrases.filter((phrase) => phrase !== '').slice(0, TOPIC_TERMS_MAX),
  };
}

/** Checks whether a topic has no terms and no phrases. */
export function isEmptyTopic({ terms, phrases }: Topic): boolean {
  return terms.length + phrases.length === 0;
}

/** Checks whether a text matches a topic. */
export function matchesTopic(text: string, { terms, phrases }: Topic): boolean {
  const flat = normalizeText(text);
  if (!phrases.every((phrase) => ` ${flat} `.includes(` ${phrase} `))) return false;
  const words = new Set(flat.split(' ').map(stemWord));
  return terms.every((term) =>
    UNSPACED_SCRIPT.test(term) ? flat.includes(term) : words.has(stemWord(term)),
  );
}

/** Returns the words of a text in lower case without punctuation. */
export function splitWords(text: string): readonly string[] {
  return normalizeText(text)
    .split(' ')
    .filter((word) => word !== '');
}

/** Normalizes a text to lower-case letters and digits with single spaces. */
export function normalizeText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’]s\b/g, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** Removes the plural ending of a word, so that "tariffs" matches "tariff". */
export function stemWord(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)
    ? word.slice(0, -1)
    : word;
}
