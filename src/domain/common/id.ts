import { bytesToHex } from '@noble/hashes/utils.js';
import type { Random } from './random.ts';

/** Bytes of chance in a capability: 20 bytes are 160 bits, above the 128 that are asked for. */
const CAPABILITY_BYTES = 20;

/**
 * Makes an unguessable id. Whoever holds it may read what it names, so it is never listed.
 *
 * @param prefix - What it names, such as `job`.
 */
export function capability(prefix: string, random: Random): string {
  return `${prefix}_${bytesToHex(random.bytes(CAPABILITY_BYTES))}`;
}
