import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../common/json.ts';

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/**
 * Returns the Merkle root over ordered records, as 64 hex digits. A leaf is SHA-256 of byte 0 and
 * the canonical JSON of the record. A node is SHA-256 of byte 1 and its two children. An odd last
 * node moves up unchanged (the tree of RFC 6962). Without records, it is SHA-256 of the empty text.
 */
export function computeMerkleRoot(records: readonly unknown[]): string {
  let level = records.map((record) =>
    sha256(concatBytes(LEAF_PREFIX, utf8ToBytes(canonicalJson(record)))),
  );
  if (level.length === 0) return bytesToHex(sha256(new Uint8Array()));
  while (level.length > 1) level = hashPairs(level);
  return bytesToHex(level[0] ?? new Uint8Array());
}

function hashPairs(level: readonly Uint8Array[]): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left, right] = [level[at], level[at + 1]];
    if (left === undefined) break;
    parents.push(right === undefined ? left : sha256(concatBytes(NODE_PREFIX, left, right)));
  }
  return parents;
}
