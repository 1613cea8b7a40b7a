import zlib from 'node:zlib';
import type { Key } from 'lmdb';
import { fromBufferKey, toBufferKey, writeKey } from 'ordered-binary';

/** Comes between a text and its checksum. JSON contains no such character. */
const MARK = 1;
const DIGITS = 7;
/** Bytes, and characters, of the mark and the checksum. */
export const SEAL_CHARS = DIGITS + 1;
/** Codes of the digits of 5 bits. */
const ALPHABET = Array.from('0123456789abcdefghijklmnopqrstuv', (digit) => digit.charCodeAt(0));
/** Length up to which the loops below are faster than a call of the native function. */
const SHORT_MAX = 128;
const POLYNOMIAL = 0xedb8_8320;
const TABLE = createTable();
/** Larger than LMDB's longest key. */
const KEY_BYTES_MAX = 8_192;

type Crc32 = (data: string | Uint8Array, seed: number) => number;

/** Node has it from 20.15 on. */
const nativeCrc32: Crc32 = (zlib as { readonly crc32?: Crc32 }).crc32 ?? computeCrc32;
const keyBytes = Buffer.alloc(KEY_BYTES_MAX);

/** Appends a checksum of a row's key and text to the text. */
export function sealText(key: Key, text: string): string {
  return text + toSeal(crc32(text, sumKey(key)));
}

/** Whether a stored text ends like one with a checksum, whatever the checksum is. */
export function isSealed(stored: string): boolean {
  return stored.charCodeAt(stored.length - SEAL_CHARS) === MARK;
}

/**
 * Returns the text of a row without its checksum.
 *
 * @returns `undefined` if the row is damaged or has no checksum.
 */
export function openText(key: Key, sealed: string): string | undefined {
  if (!isSealed(sealed)) return undefined;
  const text = sealed.slice(0, -SEAL_CHARS);
  return sealed.endsWith(toSeal(crc32(text, sumKey(key)))) ? text : undefined;
}

/** What the bytes of a row say about it. */
export type RowState = 'whole' | 'damaged' | 'without a checksum';

/** Checks a row by its bytes in the file, as `openText` does by its text. */
export function checkRow(key: Uint8Array, value: Uint8Array): RowState {
  const at = value.length - SEAL_CHARS;
  if (at < 0 || value[at] !== MARK) return 'without a checksum';
  const sum = sumBytes(value.subarray(0, at), sumBytes(key, 0));
  for (let digit = 0; digit < DIGITS; digit += 1) {
    if (value[at + 1 + digit] !== digitOf(sum, digit)) return 'damaged';
  }
  return 'whole';
}

/** Decodes a key and encodes it again, because a damaged one can decode to something. */
export function decodeKey(bytes: Uint8Array): Key | undefined {
  try {
    const key = fromBufferKey(Buffer.from(bytes)) as Key;
    return toBufferKey(key).equals(bytes) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Computes the CRC-32 of bytes, or of a text in UTF-8, as zlib does. */
export function computeCrc32(data: string | Uint8Array, seed: number): number {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return sumRange(bytes, bytes.length, seed);
}

/** The key comes first, as its bytes come first in the file. */
function sumKey(key: Key): number {
  return sumRange(keyBytes, writeKey(key, keyBytes, 0), 0);
}

function sumBytes(bytes: Uint8Array, seed: number): number {
  return bytes.length > SHORT_MAX ? nativeCrc32(bytes, seed) : sumRange(bytes, bytes.length, seed);
}

function sumRange(bytes: Uint8Array, length: number, seed: number): number {
  let sum = ~seed;
  for (let at = 0; at < length; at += 1) {
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  }
  return ~sum >>> 0;
}

/** Most rows are short: a call of the native function would cost more than its work. */
function crc32(text: string, seed: number): number {
  if (text.length > SHORT_MAX) return nativeCrc32(text, seed);
  let sum = ~seed;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 127) return nativeCrc32(text, seed);
    sum = (sum >>> 8) ^ (TABLE[(sum ^ code) & 0xff] ?? 0);
  }
  return ~sum >>> 0;
}

function digitOf(sum: number, digit: number): number {
  return ALPHABET[(sum >>> (5 * digit)) & 31] ?? 0;
}

/** Returns the mark and the digits. */
function toSeal(sum: number): string {
  const digit = (at: number) => ALPHABET[(sum >>> at) & 31] ?? 0;
  const [a, b, c, d] = [digit(0), digit(5), digit(10), digit(15)];
  return String.fromCharCode(MARK, a, b, c, d, digit(20), digit(25), digit(30));
}

function createTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
    return sum;
  });
}
