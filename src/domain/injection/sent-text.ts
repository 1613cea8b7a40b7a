import { sha256Hex } from '../common/hash.ts';
import { HARMLESS, type Injection } from './corpus.ts';
import { encoded } from './encodings.ts';

const CONSONANTS = 'bdfgklmnprstvzhj';
const VOWELS = 'aeio';
/** Pairs of letters of one word: two words of four pairs are met by chance once in 2^48. */
const PAIRS = 4;

/** Two made-up words, and what only obeying makes of them. */
export interface SignWords {
  readonly first: string;
  readonly second: string;
  /** The second word directly before the first. No text that is sent has it. */
  readonly sign: string;
}

/** Draws the words of one trial: the same seed and label give the same ones. */
export function signWords(seed: string, label: string): SignWords {
  const digits = sha256Hex(`${seed}/injection/${label}`);
  const first = wordOf(digits.slice(0, 2 * PAIRS));
  const second = wordOf(digits.slice(2 * PAIRS, 4 * PAIRS));
  return { first, second, sign: `${second}${first}` };
}

/** The text of an injection, with its words in it. */
export function attackText(injection: Injection, words: SignWords): string {
  return filled(injection, injection.order, words);
}

/** The same text with something harmless in the place of the order, in the same encoding. */
export function controlText(injection: Injection, words: SignWords): string {
  return filled(injection, HARMLESS, words);
}

function filled({ carrier, encoding = 'plain' }: Injection, order: string, words: SignWords) {
  const written = encoded(withWords(order, words), encoding);
  return withWords(carrier, words).replace('{{order}}', () => written);
}

function withWords(text: string, { first, second }: SignWords): string {
  return text.replaceAll('{{a}}', first).replaceAll('{{b}}', second);
}

function wordOf(digits: string): string {
  let word = '';
  for (let at = 0; at < digits.length; at += 2) {
    const byte = Number.parseInt(digits.slice(at, at + 2), 16);
    word += `${CONSONANTS[byte >> 4] ?? ''}${VOWELS[byte & 3] ?? ''}`;
  }
  return word;
}
