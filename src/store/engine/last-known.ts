import type { SnapshotRow } from '../../runtime/engine/ports.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import { scanKeys } from '../common/environment.ts';
import { decodeEntry, decodeSnapshot } from './engine-codec.ts';
import type { EngineDatabases } from './engine-databases.ts';

/**
 * Finds the newest state of an actor that can be read, at the position of its last row: a snapshot,
 * with the status of the last row; without a snapshot, what the last readable row says.
 */
export function findLastKnown(dbs: EngineDatabases, id: string): SnapshotRow | undefined {
  const { journal, snapshots } = dbs;
  let seq = 0;
  let entry: JournalEntry | undefined;
  for (const key of scanKeys(journal, [id])) {
    seq = Math.max(seq, Number(key[1]));
    const text = journal.getWhole([...key]);
    if (text !== undefined) entry = decodeEntry(id, Number(key[1]), text);
  }
  let found: SnapshotRow | undefined;
  for (const key of scanKeys(snapshots, [id])) {
    seq = Math.max(seq, Number(key[1]));
    const text = snapshots.getWhole([...key]);
    if (text !== undefined) found = decodeSnapshot(Number(key[1]), text);
  }
  if (found !== undefined && (entry === undefined || entry.seq <= found.seq))
    return { ...found, seq };
  if (entry === undefined) return undefined;
  const { kind, version, at, status, value } = entry;
  const isStuck = status === 'stuck';
  const base = found ?? { createdAt: at, timers: [], effects: [] };
  const before = found?.snapshot ?? { context: {}, historyValue: {} };
  const snapshot = { ...before, value, status: isStuck ? 'active' : status };
  return { ...base, kind, version, seq, at, stuck: isStuck, snapshot };
}
