import zlib from 'node:zlib';
import type { Key } from 'lmdb';

/** Comes between a text and its checksum. JSON contains no such character. */
const MARK = 1;
const DIGITS = 7;
const SEAL_CHARS = DIGITS + 1;
const RADIX = 36;

type Crc32 = (text: string, seed: number) => number;

/** Node has it from 20.15 on. */
const crc32: Crc32 = (zlib as { readonly crc32?: Crc32 }).crc32 ?? computeCrc32;

/** Appends a checksum of a row's key and text to the text. */
export function sealText(key: Key, text: string): string {
  return `${text}${String.fromCharCode(MARK)}${checksum(key, text)}`;
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
  return sealed.slice(length + 1) === checksum(key, text) ? text : undefined;
}

function checksum(key: Key, text: string): string {
  const name = Array.isArray(key) ? key.join('\0') : String(key);
  return crc32(name, crc32(text, 0)).toString(RADIX).padStart(DIGITS, '0');
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

const POLYNOMIAL = 0xedb8_8320;
let table: Int32Array | undefined;

/** Computes the CRC-32 of a text in UTF-8, as zlib does. */
export function computeCrc32(text: string, seed: number): number {
  table ??= createTable();
  let sum = ~seed;
  for (const byte of Buffer.from(text)) sum = (sum >>> 8) ^ (table[(sum ^ byte) & 0xff] ?? 0);
  return ~sum >>> 0;
}

function createTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
    return sum;
  });
}
