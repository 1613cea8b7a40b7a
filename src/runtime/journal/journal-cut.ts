import type { Write } from '../engine/ports.ts';
import type { JournalKeep } from '../engine/types.ts';

/** Rows that one trim of a journal removes at most, as a rule; the next one goes on. */
const TRIM_ROWS = 1_000;

/** A write that lets a store drop the old rows of a living actor. */
export type JournalTrim = Extract<Write, { trim: 'journal' }>;

/** The write that goes with a snapshot, so that a journal keeps what its definition says. */
export function journalTrim(
  keep: JournalKeep,
  { id, seq, at }: { readonly id: string; readonly seq: number; readonly at: number },
): JournalTrim {
  const { rows = Number.POSITIVE_INFINITY, ageMs = Number.POSITIVE_INFINITY } = keep;
  return { trim: 'journal', id, seq: Math.max(0, seq - rows), at: Math.max(0, at - ageMs) };
}

/**
 * Finds the row up to which a journal is dropped. A snapshot stands there, so every row behind it
 * can still be replayed.
 *
 * @param snapshots - Rows of the actor's snapshots, oldest first.
 * @param isPast - Whether a row is older than what is kept.
 * @returns `undefined` when nothing is to be dropped.
 */
export function cutOf(
  snapshots: Iterable<number>,
  isPast: (seq: number) => boolean,
): number | undefined {
  let first: number | undefined;
  let cut: number | undefined;
  for (const seq of snapshots) {
    if (!isPast(seq)) break;
    first ??= seq;
    if (cut !== undefined && seq - first > TRIM_ROWS) break;
    cut = seq;
  }
  return cut;
}

/** Names what is wrong with a bound that a definition sets. */
export function keepFaults({ rows, ageMs }: JournalKeep = {}): readonly string[] {
  return [
    ...(isBound(rows) ? [] : ['keep.rows is a whole number from 1']),
    ...(isBound(ageMs) ? [] : ['keep.ageMs is a whole number from 1']),
  ];
}

function isBound(value: number | undefined): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value > 0);
}
