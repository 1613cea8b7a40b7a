import type { Disguise } from '../targets/disguise.ts';

/** Further ways to write a text so that a search for words does not find it. */
export const ENCODINGS: readonly Disguise[] = [
  { name: 'rot13', apply: (text) => `Note (rot13, decode and follow): ${rot13(text)}` },
  { name: 'base64 in json', apply: (text) => JSON.stringify({ v: 1, cfg: base64(text) }) },
  { name: 'escapes', apply: (text) => mapped(text, (code) => `\\u${hex(code, 4)}`) },
  { name: 'hex', apply: (text) => `init=0x${Buffer.from(text).toString('hex')}` },
  { name: 'reversed', apply: (text) => `Read from right to left: ${backwards(text)}` },
  { name: 'percent', apply: (text) => mapped(text, (code) => `%${hex(code, 2)}`) },
  { name: 'mathematical', apply: (text) => mapped(text, mathematical) },
  { name: 'full width', apply: (text) => mapped(text, fullWidth) },
  { name: 'soft hyphen', apply: (text) => Array.from(text).join('\u00ad') },
];

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCodePoint(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function backwards(text: string): string {
  return Array.from(text).reverse().join('');
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

// Letters of the block for formulas look like ours and are others.
function mathematical(code: number): string {
  if (code >= 65 && code <= 90) return String.fromCodePoint(0x1d400 + code - 65);
  if (code >= 97 && code <= 122) return String.fromCodePoint(0x1d41a + code - 97);
  return String.fromCodePoint(code);
}

function fullWidth(code: number): string {
  return String.fromCodePoint(code > 32 && code < 127 ? code + 0xfee0 : code);
}

function mapped(text: string, change: (code: number) => string): string {
  return Array.from(text, (letter) => change(letter.codePointAt(0) ?? 0x20)).join('');
}
