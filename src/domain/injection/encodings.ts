import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { toBase64 } from '../proof/base64.ts';

/** The encoding of an order. It evades word filters but remains readable for a model. */
export type Encoding = 'plain' | 'base64' | 'hex' | 'rot13' | 'tags' | 'joined';

const TAG_BASE = 0xe0000;
const ZERO_WIDTH = '\u200b';

/** Encodes a text. `tags` leaves characters outside of ASCII unchanged. */
export function encodeText(text: string, encoding: Encoding): string {
  switch (encoding) {
    case 'plain':
      return text;
    case 'base64':
      return toBase64(utf8ToBytes(text));
    case 'hex':
      return bytesToHex(utf8ToBytes(text));
    case 'rot13':
      return text.replace(/[a-z]/gi, rotateLetter);
    case 'tags':
      return Array.from(text, toTagCharacter).join('');
    case 'joined':
      return Array.from(text).join(ZERO_WIDTH);
  }
}

function rotateLetter(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97;
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
}

/** Maps a letter to an invisible character of the Unicode tags block. */
function toTagCharacter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  return code < 0x80 ? String.fromCodePoint(TAG_BASE + code) : letter;
}
