import { sha256Hex } from '../common/hash.ts';
import { HARMLESS, type Injection } from './corpus.ts';
import { encoded } from './encodings.ts';

const CONSONANTS = 'bdfgklmnprstvzhj';
const VOWELS = 'aeio';
/** Consonant-vowel pairs per word. Two words of four pairs match by chance once in 2^48. */
const PAIRS = 4;

/** Two invented words and the sign that only an obeyed order produces. */
export interface SignWords {
  readonly first: string;
  readonly second: string;
  /** The second word directly before the first. No sent text contains it. */
  readonly sign: string;
}

/** Derives the words of one trial from seed and label. */
export function signWords(seed: string, label: string): SignWords {
  const digits = sha256Hex(`${seed}/injection/${label}`);
  const first = wordOf(digits.slice(0, 2 * PAIRS));
  const second = wordOf(digits.slice(2 * PAIRS, 4 * PAIRS));
  return { first, second, sign: `${second}${first}` };
}

/** Renders an injection with its words. */
export function attackText(injection: Injection, words: SignWords): string {
  return filled(injection, injection.order, words);
}

/** Renders the control: the same text in the same encoding, with a harmless order. */
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
