import type { Write } from '../engine/ports.ts';
import type { JournalKeep } from '../engine/types.ts';

/** Approximate maximum of rows that one trim removes; the next trim continues. */
const TRIM_ROWS = 1_000;

/** A write that lets a store drop the old rows of a live actor. */
export type JournalTrim = Extract<Write, { trim: 'journal' }>;

/** Creates the trim write that accompanies a snapshot, following the definition's retention. */
export function createJournalTrim(
  keep: JournalKeep,
  { id, seq, at }: { readonly id: string; readonly seq: number; readonly at: number },
): JournalTrim {
  const { rows = Number.POSITIVE_INFINITY, ageMs = Number.POSITIVE_INFINITY } = keep;
  return { trim: 'journal', id, seq: Math.max(0, seq - rows), at: Math.max(0, at - ageMs) };
}

/**
 * Returns the row up to which a journal is dropped. A snapshot exists at that row, so every later
 * row can still be replayed.
 *
 * @param snapshots - Sequence numbers of the actor's snapshots, oldest first.
 * @param isExpired - Returns whether a row is past its retention.
 * @returns `undefined` if nothing is to be dropped.
 */
export function findTrimSeq(
  snapshots: Iterable<number>,
  isExpired: (seq: number) => boolean,
): number | undefined {
  let first: number | undefined;
  let cut: number | undefined;
  for (const seq of snapshots) {
    if (!isExpired(seq)) break;
    first ??= seq;
    if (cut !== undefined && seq - first > TRIM_ROWS) break;
    cut = seq;
  }
  return cut;
}

/** Returns the errors in a definition's retention limits. */
export function retentionErrors({ rows, ageMs, endedMs }: JournalKeep = {}): readonly string[] {
  return [
    ...(isValidLimit(rows) ? [] : ['keep.rows must be an integer from 1']),
    ...(isValidLimit(ageMs) ? [] : ['keep.ageMs must be an integer from 1']),
    ...(isValidLimit(endedMs) ? [] : ['keep.endedMs must be an integer from 1']),
  ];
}

function isValidLimit(value: number | undefined): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value > 0);
}
