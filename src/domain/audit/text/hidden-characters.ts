import { joinPattern } from '../join-pattern.ts';
/** A kind of character that people do not see or mistake for another. */
export interface HiddenCharacters {
  readonly kind: string;
  readonly count: number;
  /** The decoded content of the hidden characters, if any. */
  readonly says: string;
}

const TAGS = /[\u{e0020}-\u{e007e}]/gu;
const VARIATION = /[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0e]/gu;
const ZERO_WIDTH = joinPattern(
  'gu',
  '[\\u200b\\u2060\\u2061-\\u2064\\ufeff\\u180e\\u00ad\\u034f\\u115f\\u1160\\u3164\\uffa0]',
);
const JOINERS = joinPattern(
  'gu',
  '(?<![\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}',
  '\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Tamil}\\p{Script=Kannada}',
  '\\p{Script=Telugu}\\p{Emoji_Presentation}\\p{Extended_Pictographic}\\ufe0f])',
  '[\\u200c\\u200d]',
);
const BIDI = /[\u202a-\u202e\u2066-\u2069]/gu;
/** Control characters that a terminal interprets, except line ends and tabs. */
const CONTROL = joinPattern(
  'gu',
  '\\u001b\\[|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001a\\u001c-\\u001f\\u007f-\\u009f]',
);
const ESCAPES = joinPattern('g', '\\u001b\\[[0-9;]*[a-zA-Z]');
const LATIN = /\p{Script=Latin}/u;
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]/u;
const STYLED = /[\u{1d400}-\u{1d7ff}\uff01-\uff5e]/gu;
/** Words, which are checked for letters of two similar scripts. */
const LETTER_RUN = /[\p{L}\p{M}]+/gu;
/** Number of styled letters that is not suspicious. */
const STYLED_MAX = 3;

/** Finds invisible and confusable characters. Returns an empty list if there are none. */
export function findHiddenCharacters(text: string): readonly HiddenCharacters[] {
  const tags = [...text.matchAll(TAGS)].map(([one]) => one);
  const mixed = findMixedWords(text);
  const variations = countMatches(text, VARIATION);
  const styled = countMatches(text, STYLED);
  const kinds: HiddenCharacters[] = [
    { kind: 'tag characters', count: tags.length, says: decodeTags(tags.join('')) },
    { kind: 'variation selectors', count: variations > 2 ? variations : 0, says: '' },
    {
      kind: 'zero-width characters',
      count: countMatches(text.replace(joinPattern('', '^\\ufeff'), ''), ZERO_WIDTH),
      says: '',
    },
    { kind: 'stray joiners', count: countMatches(text, JOINERS), says: '' },
    { kind: 'text direction characters', count: countMatches(text, BIDI), says: '' },
    { kind: 'control characters', count: countMatches(text, CONTROL), says: '' },
    { kind: 'words with letters of two scripts', count: mixed.length, says: mixed.join(' ') },
    { kind: 'styled letters', count: styled > STYLED_MAX ? styled : 0, says: '' },
  ];
  return kinds.filter((one) => one.count > 0);
}

/** Returns the text with hidden characters decoded or removed. */
export function revealHidden(text: string): string {
  const decodedTags = text.replace(TAGS, (one) => decodeTags(one));
  return decodedTags
    .normalize('NFKC')
    .replace(ZERO_WIDTH, '')
    .replace(/[\u200c\u200d]/g, '')
    .replace(BIDI, '')
    .replace(VARIATION, '')
    .replace(ESCAPES, '')
    .replace(LETTER_RUN, (word) => (isMixed(word) || isDisguised(word) ? toLatin(word) : word));
}

function decodeTags(text: string): string {
  return Array.from(text, (one) => String.fromCodePoint((one.codePointAt(0) ?? 0) - 0xe0000)).join(
    '',
  );
}

function findMixedWords(text: string): readonly string[] {
  if (!LOOKALIKE.test(text)) return [];
  return [...text.matchAll(LETTER_RUN)].map(([word]) => word).filter(isMixed);
}

function isMixed(word: string): boolean {
  return LATIN.test(word) && LOOKALIKE.test(word) && !/^[µμΩ]/u.test(word);
}

/** Returns whether a word consists only of letters that look like Latin ones. */
function isDisguised(word: string): boolean {
  return word.length > 2 && Array.from(word).every((letter) => LOOKALIKES.has(letter));
}

function toLatin(word: string): string {
  return Array.from(word, (letter) => LOOKALIKES.get(letter) ?? letter).join('');
}

function countMatches(text: string, form: RegExp): number {
  return [...text.matchAll(form)].length;
}

const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    ѕ: 's',
    т: 't',
    у: 'y',
    х: 'x',
    ԝ: 'w',
    ѵ: 'v',
    ɡ: 'g',
    А: 'A',
    В: 'B',
    С: 'C',
    Е: 'E',
    Н: 'H',
    І: 'I',
    Ј: 'J',
    К: 'K',
    М: 'M',
    О: 'O',
    Р: 'P',
    Ѕ: 'S',
    Т: 'T',
    Х: 'X',
    У: 'Y',
    Ԁ: 'D',
    Ӏ: 'I',
    α: 'a',
    ε: 'e',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    η: 'n',
    Α: 'A',
    Β: 'B',
    Ε: 'E',
    Ζ: 'Z',
    Η: 'H',
    Ι: 'I',
    Κ: 'K',
    Μ: 'M',
    Ν: 'N',
    Ο: 'O',
    Ρ: 'P',
    Τ: 'T',
    Υ: 'Y',
    Χ: 'X',
    օ: 'o',
    ս: 'u',
    ո: 'n',
    հ: 'h',
    ց: 'g',
    զ: 'q',
    ա: 'w',
  }),
);
