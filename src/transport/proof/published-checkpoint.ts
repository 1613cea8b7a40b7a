import { AppError } from '../../domain/common/error.ts';
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts';
import type { Hash } from '../../domain/proof/merkle.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { AnchorClaim } from '../../domain/verification/anchor.ts';

/** A signed checkpoint for publication. */
export interface PublishedCheckpoint {
  /** The note with the witness cosignatures received so far. */
  readonly note: string;
  readonly size: number;
}

/** Returns the newest signed checkpoint. Creates the first one for an empty log. */
export async function publishedCheckpoint(log: ProofLog): Promise<PublishedCheckpoint> {
  return withCosignatures(log, log.latestCheckpoint() ?? (await log.checkpoint()));
}

/**
 * Returns a checkpoint that covers a record: the newest cosigned one, else the newest. Checkpoints
 * never outnumber records.
 */
export async function coveringCheckpoint(log: ProofLog, seq: number): Promise<PublishedCheckpoint> {
  const size = log.evidence.latestCosigned() ?? 0;
  const witnessed = size > seq ? log.evidence.checkpointOf(size) : undefined;
  if (witnessed !== undefined) return withCosignatures(log, witnessed);
  const newest = await publishedCheckpoint(log);
  return newest.size > seq ? newest : withCosignatures(log, await log.checkpoint());
}

/**
 * Returns the anchor that covers a record, linked to a checkpoint. `undefined` until one exists.
 */
export function anchorClaim(log: ProofLog, seq: number, size: number): AnchorClaim | undefined {
  const anchor = log.evidence.findAnchorOf(seq);
  if (anchor === undefined || anchor.size > log.size) return undefined;
  const { seen_at: _seen, ...claim } = anchor;
  const from = Math.min(anchor.size, size);
  const to = Math.max(anchor.size, size);
  return { ...claim, consistency: { from, to, path: toBase64(log.consistency(from, to)) } };
}

/** Returns the inclusion proof of a record in a log of the given size. */
export function inclusionProof(log: ProofLog, seq: number, size: number) {
  return { seq, size, path: toBase64(log.inclusion(seq, size)) };
}

/** Encodes hashes in base64. */
export function toBase64(hashes: readonly Hash[]): string[] {
  return hashes.map((hash) => Buffer.from(hash).toString('base64'));
}

function withCosignatures(log: ProofLog, note: string): PublishedCheckpoint {
  const size = parseCheckpoint(note)?.size;
  if (size === undefined) throw new AppError('INVARIANT', { message: 'a checkpoint has a size' });
  return { note: `${note}${log.evidence.cosignatures(size).join('')}`, size };
}
