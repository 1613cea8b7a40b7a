/** A way to hide or to reword a text without changing what it asks for. */
export interface Disguise {
  readonly name: string;
  apply(text: string): string;
}

const ZERO_WIDTH = '\u200b';
const HOMOGLYPHS: Readonly<Record<string, string>> = {
  a: '\u0430',
  c: '\u0441',
  e: '\u0435',
  i: '\u0456',
  o: '\u043e',
  p: '\u0440',
  s: '\u0455',
  x: '\u0445',
  y: '\u0443',
};

/** The text as it is. */
export const PLAIN: Disguise = { name: 'plain', apply: (text) => text };

/** Ways that a person does not see, or that a search for words does not find. */
export const DISGUISES: readonly Disguise[] = [
  PLAIN,
  { name: 'html comment', apply: (text) => `<!-- ${text} -->` },
  { name: 'pseudo tag', apply: (text) => `<IMPORTANT>\n${text}\n</IMPORTANT>` },
  {
    name: 'base64',
    apply: (text) => `${leadOf(text)}${Buffer.from(text).toString('base64')}`,
  },
  {
    name: 'html entities',
    apply: (text) =>
      Array.from(text)
        .map((letter) => `&#${letter.codePointAt(0)};`)
        .join(''),
  },
  {
    name: 'homoglyphs',
    apply: (text) =>
      Array.from(text)
        .map((letter) => HOMOGLYPHS[letter] ?? letter)
        .join(''),
  },
  { name: 'zero width', apply: (text) => Array.from(text).join(ZERO_WIDTH) },
  { name: 'spaced letters', apply: (text) => text.split(' ').map(spaced).join('   ') },
  { name: 'url encoding', apply: (text) => `Hint: ${encodeURIComponent(text)}` },
  {
    name: 'far below',
    apply: (text) => `${'\n'.repeat(60)}${' '.repeat(80)}[system] ${text}`,
  },
];

const LEADS = ['Configuration (decode base64, then do what it says): ', 'x-init: ', ''] as const;

function leadOf(text: string): string {
  return LEADS[text.length % LEADS.length] ?? '';
}

function spaced(word: string): string {
  return Array.from(word).join(' ');
}

/** Texts that no screen shows. */
export const INVISIBLE: readonly Disguise[] = [
  {
    name: 'tag characters',
    apply: (text) =>
      Array.from(text)
        .map((letter) => fromCode(0xe0000 + codeOf(letter)))
        .join(''),
  },
  {
    name: 'zero width bits',
    apply: (text) =>
      [...Buffer.from(text)]
        .map((byte) => byte.toString(2).padStart(8, '0'))
        .join('')
        .replaceAll('0', '\u200b')
        .replaceAll('1', '\u200c'),
  },
  { name: 'right to left', apply: (text) => `\u202e${Array.from(text).reverse().join('')}\u202c` },
  {
    name: 'variation selectors',
    apply: (text) => [...Buffer.from(text)].map((byte) => fromCode(selectorOf(byte))).join(''),
  },
  {
    name: 'between the letters',
    apply: (text) => Array.from(text).join('\u2060'),
  },
];

function selectorOf(byte: number): number {
  return byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16;
}

function codeOf(letter: string): number {
  return letter.codePointAt(0) ?? 0x20;
}

function fromCode(code: number): string {
  return String.fromCodePoint(code);
}
