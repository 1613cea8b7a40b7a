import zlib from 'node:zlib';
import type { Key } from 'lmdb';

/** Comes between a text and its checksum. JSON contains no such character. */
const MARK = 1;
const DIGITS = 7;
const SEAL_CHARS = DIGITS + 1;
/** Codes of the digits of 5 bits. */
const ALPHABET = Array.from('0123456789abcdefghijklmnopqrstuv', (digit) => digit.charCodeAt(0));
/** Length up to which the loop below is faster than a call of the native function. */
const SHORT_CHARS_MAX = 128;
const POLYNOMIAL = 0xedb8_8320;
const TABLE = createTable();

type Crc32 = (text: string, seed: number) => number;

/** Node has it from 20.15 on. */
const nativeCrc32: Crc32 = (zlib as { readonly crc32?: Crc32 }).crc32 ?? computeCrc32;

/** Appends a checksum of a row's key and text to the text. */
export function sealText(key: Key, text: string): string {
  return text + checksum(key, text);
}

/**
 * Returns the text of a row without its checksum. A row of an older program has none: its text is
 * JSON.
 *
 * @param isJson - Whether such a row must be JSON.
 * @returns `undefined` if the row is damaged.
 */
export function openText(key: Key, sealed: string, isJson: boolean): string | undefined {
  const length = sealed.length - SEAL_CHARS;
  if (sealed.charCodeAt(length) !== MARK) return isReadable(sealed, isJson) ? sealed : undefined;
  const text = sealed.slice(0, length);
  return sealed.endsWith(checksum(key, text)) ? text : undefined;
}

/** Returns the mark and the digits. */
function checksum(key: Key, text: string): string {
  let sum = crc32(text, 0);
  if (Array.isArray(key)) {
    for (const part of key) sum = crc32(String(part), crc32(SEPARATOR, sum));
  } else sum = crc32(String(key), sum);
  const digit = (at: number) => ALPHABET[(sum >>> at) & 31] ?? 0;
  const [a, b, c, d] = [digit(0), digit(5), digit(10), digit(15)];
  return String.fromCharCode(MARK, a, b, c, d, digit(20), digit(25), digit(30));
}

/** Comes before each part of a key, so that parts cannot move their ends. */
const SEPARATOR = '\0';

/** Most rows are short: a call of the native function would cost more than its work. */
function crc32(text: string, seed: number): number {
  if (text.length > SHORT_CHARS_MAX) return nativeCrc32(text, seed);
  let sum = ~seed;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 127) return nativeCrc32(text, seed);
    sum = (sum >>> 8) ^ (TABLE[(sum ^ code) & 0xff] ?? 0);
  }
  return ~sum >>> 0;
}

function isReadable(text: string, isJson: boolean): boolean {
  if (!isJson) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Computes the CRC-32 of a text in UTF-8, as zlib does. */
export function computeCrc32(text: string, seed: number): number {
  let sum = ~seed;
  for (const byte of Buffer.from(text)) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0);
  return ~sum >>> 0;
}

function createTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
    return sum;
  });
}
