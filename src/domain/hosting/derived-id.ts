import { sha256 } from '@noble/hashes/sha2.js';
import { type HostedKind, hostedId } from './ids.ts';

/** Derives an id from a name. The same name always gives the same id. */
export function derivedId(kind: HostedKind, name: string): string {
  const digest = sha256(new TextEncoder().encode(name));
  return hostedId(kind, { bytes: (length) => digest.subarray(0, length) });
}
