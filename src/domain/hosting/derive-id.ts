import { sha256 } from '@noble/hashes/sha2.js';
import { createHostedId, type HostedKind } from './ids.ts';

/** Derives an id from a name. The same name always gives the same id. */
export function deriveId(kind: HostedKind, name: string): string {
  const digest = sha256(new TextEncoder().encode(name));
  return createHostedId(kind, { bytes: (length) => digest.subarray(0, length) });
}
