import { sha256 } from '@noble/hashes/sha2.js';
import { type HostedKind, hostedId } from './ids.ts';

/** The id that follows from a name: the same name gives the same id, whenever it is asked for. */
export function derivedId(kind: HostedKind, name: string): string {
  const digest = sha256(new TextEncoder().encode(name));
  return hostedId(kind, { bytes: (length) => digest.subarray(0, length) });
}
