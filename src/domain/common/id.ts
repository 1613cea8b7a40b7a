import { bytesToHex } from '@noble/hashes/utils.js';
import type { Random } from './random.ts';

/** Random bytes in a capability: 160 bits, above the required 128. */
const CAPABILITY_BYTES = 20;

/**
 * Creates an unguessable id. Possession grants access, so it is never listed.
 *
 * @param prefix - Kind of the object, such as `job`.
 */
export function createCapability(prefix: string, random: Random): string {
  return `${prefix}_${bytesToHex(random.bytes(CAPABILITY_BYTES))}`;
}
