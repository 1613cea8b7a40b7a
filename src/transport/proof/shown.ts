import { AppError } from '../../domain/common/error.ts';
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts';
import type { Hash } from '../../domain/proof/merkle.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { AnchorClaim } from '../../domain/verification/anchor.ts';

/** A signed checkpoint as it is shown. */
export interface ShownCheckpoint {
  /** With the cosignatures that witnesses have brought so far. */
  readonly note: string;
  readonly size: number;
}

/** The newest signed checkpoint; an empty log gets its first one. */
export async function published(log: ProofLog): Promise<ShownCheckpoint> {
  return cosigned(log, log.latestCheckpoint() ?? (await log.checkpoint()));
}

/**
 * A checkpoint that covers a record: the newest that a witness has cosigned, else the newest. There
 * are never more of them than records.
 */
export async function covering(log: ProofLog, seq: number): Promise<ShownCheckpoint> {
  const size = log.evidence.latestCosigned() ?? 0;
  const witnessed = size > seq ? log.evidence.checkpointOf(size) : undefined;
  if (witnessed !== undefined) return cosigned(log, witnessed);
  const newest = await published(log);
  return newest.size > seq ? newest : cosigned(log, await log.checkpoint());
}

/** The anchor that covers a record, tied to a checkpoint; `undefined` until there is one. */
export function anchorClaim(log: ProofLog, seq: number, size: number): AnchorClaim | undefined {
  const anchor = log.evidence.anchorOver(seq);
  if (anchor === undefined || anchor.size > log.size) return undefined;
  const { seen_at: _seen, ...claim } = anchor;
  const from = Math.min(anchor.size, size);
  const to = Math.max(anchor.size, size);
  return { ...claim, consistency: { from, to, path: texts(log.consistency(from, to)) } };
}

/** Where a record is in the log of a size. */
export function inclusionOf(log: ProofLog, seq: number, size: number) {
  return { seq, size, path: texts(log.inclusion(seq, size)) };
}

/** Hashes as answers carry them: in base64. */
export function texts(hashes: readonly Hash[]): string[] {
  return hashes.map((hash) => Buffer.from(hash).toString('base64'));
}

function cosigned(log: ProofLog, note: string): ShownCheckpoint {
  const size = parseCheckpoint(note)?.size;
  if (size === undefined) throw new AppError('INVARIANT', { message: 'a checkpoint has a size' });
  return { note: `${note}${log.evidence.cosignatures(size).join('')}`, size };
}
