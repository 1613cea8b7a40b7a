import { sha256Hex } from '../common/hash.ts';
import { HARMLESS_ORDER } from './corpus.ts';
import { encodeText } from './encodings.ts';
import type { Injection } from './injection.ts';

const CONSONANTS = 'bdfgklmnprstvzhj';
const VOWELS = 'aeio';
/** Consonant-vowel pairs per word. Two words of four pairs match by chance once in 2^48. */
const PAIRS = 4;

/** Two invented words and the sign that only an obeyed order produces. */
export interface TrialWords {
  readonly first: string;
  readonly second: string;
  /** The second word directly before the first. No sent text contains it. */
  readonly sign: string;
}

/** Derives the words of one trial from seed and label. */
export function drawTrialWords(seed: string, label: string): TrialWords {
  const digits = sha256Hex(`${seed}/injection/${label}`);
  const first = createWord(digits.slice(0, 2 * PAIRS));
  const second = createWord(digits.slice(2 * PAIRS, 4 * PAIRS));
  return { first, second, sign: `${second}${first}` };
}

/** Renders an injection with its words. */
export function renderAttack(injection: Injection, words: TrialWords): string {
  return renderInjection(injection, injection.order, words);
}

/** Renders the control: the same text in the same encoding, with a harmless order. */
export function renderControl(injection: Injection, words: TrialWords): string {
  return renderInjection(injection, HARMLESS_ORDER, words);
}

function renderInjection(
  { carrier, encoding = 'plain' }: Injection,
  order: string,
  words: TrialWords,
) {
  const encodedOrder = encodeText(replaceWords(order, words), encoding);
  return replaceWords(carrier, words).replace('{{order}}', () => encodedOrder);
}

function replaceWords(text: string, { first, second }: TrialWords): string {
  return text.replaceAll('{{a}}', first).replaceAll('{{b}}', second);
}

function createWord(digits: string): string {
  let word = '';
  for (let at = 0; at < digits.length; at += 2) {
    const byte = Number.parseInt(digits.slice(at, at + 2), 16);
    word += `${CONSONANTS[byte >> 4] ?? ''}${VOWELS[byte & 3] ?? ''}`;
  }
  return word;
}
