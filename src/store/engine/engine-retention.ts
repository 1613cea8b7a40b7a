import type { JournalTrim } from '../../runtime/journal/journal-trim.ts';
import { findTrimSeq } from '../../runtime/journal/journal-trim.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from './commit-queue.ts';
import { decodeEntry, decodeSnapshot } from './engine-codec.ts';
import type { EngineDatabases } from './engine-databases.ts';

/** Computes the changes that drop the old rows of a live actor and their feed entries. */
export function retentionOps(dbs: EngineDatabases, { id, seq, at }: JournalTrim): readonly Op[] {
  const { journal, feed, snapshots } = dbs;
  const isExpired = (row: number) =>
    row <= seq || (at > 0 && readSnapshotTime(snapshots, id, row) <= at);
  const cut = findTrimSeq(scanSnapshotSeqs(snapshots, id), isExpired);
  if (cut === undefined) return [];
  const ops: Op[] = [];
  const range = { start: [id], end: [id, cut], inclusiveEnd: true };
  for (const { key, value } of journal.getRange(range)) {
    const row = (key as [string, number])[1];
    const { globalSeq } = decodeEntry(id, row, value);
    ops.push({ db: journal, key: [id, row] }, { db: feed, key: globalSeq });
  }
  for (const key of snapshots.getKeys({ start: [id], end: [id, cut] })) {
    ops.push({ db: snapshots, key: [id, (key as [string, number])[1]] });
  }
  return ops;
}

function* scanSnapshotSeqs(snapshots: TextTable, id: string): Iterable<number> {
  for (const key of snapshots.getKeys({ start: [id], end: [id, Number.MAX_SAFE_INTEGER] })) {
    yield (key as [string, number])[1];
  }
}

function readSnapshotTime(snapshots: TextTable, id: string, row: number): number {
  const text = snapshots.get([id, row]);
  return text === undefined ? 0 : decodeSnapshot(row, text).at;
}
