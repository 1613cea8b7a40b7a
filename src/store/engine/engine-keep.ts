import type { JournalTrim } from '../../runtime/journal/journal-cut.ts';
import { cutOf } from '../../runtime/journal/journal-cut.ts';
import type { Texts } from '../common/table.ts';
import type { Op } from './commit-line.ts';
import { decodeEntry, decodeSnapshot } from './engine-codec.ts';
import type { EngineDatabases } from './engine-rows.ts';

/** Computes the changes that drop the old rows of a live actor and their feed entries. */
export function keepOps(dbs: EngineDatabases, { id, seq, at }: JournalTrim): readonly Op[] {
  const { journal, feed, snapshots } = dbs;
  const isPast = (row: number) => row <= seq || (at > 0 && timeOf(snapshots, id, row) <= at);
  const cut = cutOf(rowsOf(snapshots, id), isPast);
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

function* rowsOf(snapshots: Texts, id: string): Iterable<number> {
  for (const key of snapshots.getKeys({ start: [id], end: [id, Number.MAX_SAFE_INTEGER] })) {
    yield (key as [string, number])[1];
  }
}

function timeOf(snapshots: Texts, id: string, row: number): number {
  const text = snapshots.get([id, row]);
  return text === undefined ? 0 : decodeSnapshot(row, text).at;
}
