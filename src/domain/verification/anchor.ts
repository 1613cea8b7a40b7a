import { hexToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { fromBase64 } from '../proof/base64.ts';
import type { Checkpoint } from '../proof/checkpoint.ts';
import { verifyConsistency } from '../proof/merkle.ts';

/** A chain anchor in results and proof files, with its relation to the log. */
export const AnchorClaim = z.strictObject({
  transaction: z.string().regex(/^0x[0-9a-f]{64}$/),
  block: z.int().min(0),
  /** Number of records that the anchored root covers. */
  size: z.int().min(1),
  /** The anchored root in hex. */
  root: z.string().regex(/^[0-9a-f]{64}$/),
  chain_id: z.int().min(1),
  contract: z.string().regex(/^0x[0-9a-f]{40}$/),
  /** Account of the log in the contract. */
  account: z.string().regex(/^0x[0-9a-f]{40}$/),
  /** Proof that one of checkpoint and anchor is a prefix of the other; hashes in base64. */
  consistency: z.strictObject({
    from: z.int().min(1),
    to: z.int().min(1),
    path: z.array(z.string().max(100)).max(128),
  }),
});
/** A chain anchor in results and proof files. */
export type AnchorClaim = z.infer<typeof AnchorClaim>;

/**
 * Returns why an anchor does not fit a checkpoint; `undefined` if it fits. Its presence on the
 * chain must be checked separately.
 *
 * @param seq - The record that the anchor must cover.
 */
export function findAnchorProblem(
  anchor: AnchorClaim,
  checkpoint: Pick<Checkpoint, 'size' | 'root'>,
  seq: number,
): string | undefined {
  if (anchor.size <= seq) return 'the anchor does not cover the record';
  const from = Math.min(anchor.size, checkpoint.size);
  const to = Math.max(anchor.size, checkpoint.size);
  const { consistency } = anchor;
  if (consistency.from !== from || consistency.to !== to) {
    return 'the consistency path of the anchor is for other sizes';
  }
  const path = consistency.path.map(fromBase64);
  if (!path.every((hash) => hash?.length === HASH_BYTES)) {
    return 'the consistency path of the anchor is not a list of hashes';
  }
  const anchored = hexToBytes(anchor.root);
  const isOlder = anchor.size <= checkpoint.size;
  const isFitting = verifyConsistency({
    older: from,
    newer: to,
    path: path as readonly Uint8Array[],
    olderRoot: isOlder ? anchored : checkpoint.root,
    newerRoot: isOlder ? checkpoint.root : anchored,
  });
  return isFitting ? undefined : 'the anchored root does not belong to this log';
}

const HASH_BYTES = 32;
