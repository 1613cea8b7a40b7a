import { sha256 } from '@noble/hashes/sha2.js';
import type { Random } from '../ports/random.ts';

/** What an id names, by its first part. */
export type IdPrefix = 'tea' | 'srv' | 'crn' | 'dep' | 'bld' | 'dpg' | 'red' | 'evt' | 'crr';

/** Bytes behind the 20 characters of an id. */
const ID_BYTES = 12;
/** Base 32 with the digits first: ids sort as their bytes do. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';

/** Makes an id of 96 bits of chance, such as `srv-c0ffee…`; that of a Postgres ends with `-a`. */
export function newHostingId(prefix: IdPrefix, random: Random): string {
  return idOf(prefix, random.bytes(ID_BYTES));
}

/** The id that follows from a name: the same name gives the same id. */
export function derivedId(prefix: IdPrefix, name: string): string {
  return idOf(prefix, sha256(new TextEncoder().encode(name)).subarray(0, ID_BYTES));
}

/** Tells whether a text has the form of an id of this kind. */
export function isHostingId(prefix: IdPrefix, text: string): boolean {
  return new RegExp(`^${prefix}-[0-9a-v]{20}${prefix === 'dpg' ? '-a' : ''}$`).test(text);
}

function idOf(prefix: IdPrefix, bytes: Uint8Array): string {
  let [text, bits, held] = ['', 0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += DIGITS[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  text += DIGITS[(held << (5 - bits)) & 31];
  return `${prefix}-${text}${prefix === 'dpg' ? '-a' : ''}`;
}
