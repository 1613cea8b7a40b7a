import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson } from './json.ts';

/** Returns the SHA-256 of a text's UTF-8 bytes, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)));
}

/** Returns the SHA-256 of a value's canonical JSON, as 64 lower-case hex digits. */
export function hashJson(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}
