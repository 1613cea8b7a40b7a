import type { SnapshotRow } from '../runtime/ports.ts';
import type { JournalEntry, ListRow } from '../runtime/types.ts';

// Rows are JSON lists: what the key says already is not said again, and names of members are not
// written a million times. JSON, because it gives back every string as it was, lone surrogates too.

/** Writes a journal row without what its key `[id, seq]` says. */
export function encodeEntry(row: JournalEntry): string {
  const { globalSeq, at, entry, kind, version, status, hash, value, cause, event } = row;
  const { emits, trace } = row;
  const head = [globalSeq, at, entry, kind, version, status, hash, value, cause, event];
  if (trace !== undefined) return JSON.stringify([...head, emits, trace]);
  return JSON.stringify(emits.length === 0 ? head : [...head, emits]);
}

/** Reads what `encodeEntry` wrote. */
export function decodeEntry(id: string, seq: number, text: string): JournalEntry {
  const [globalSeq, at, entry, kind, version, status, hash, value, cause, event, emits, trace] =
    JSON.parse(text) as EntryParts;
  const row: JournalEntry = {
    id,
    kind,
    seq,
    globalSeq,
    at,
    entry,
    event,
    cause,
    version,
    value,
    status,
    hash,
    emits: emits ?? [],
  };
  return trace === undefined ? row : { ...row, trace };
}

/** Writes a snapshot row without what its key `[id, seq]` says. */
export function encodeSnapshot({ seq: _seq, ...row }: SnapshotRow): string {
  return JSON.stringify(row);
}

/** Reads what `encodeSnapshot` wrote. */
export function decodeSnapshot(seq: number, text: string): SnapshotRow {
  return { ...(JSON.parse(text) as Omit<SnapshotRow, 'seq'>), seq };
}

/** Writes an index row: what stays the same between two changes of state. */
export function encodeListed({ state, status, createdAt }: ListRow): string {
  return JSON.stringify([state, status, createdAt]);
}

/** Reads what `encodeListed` wrote; where the actor stands comes from its last journal row. */
export function decodeListed(
  key: { readonly kind: string; readonly id: string },
  last: { readonly seq: number; readonly at: number },
  text: string,
): ListRow {
  const [state, status, createdAt] = JSON.parse(text) as [string, ListRow['status'], number];
  return { id: key.id, kind: key.kind, state, status, seq: last.seq, createdAt, at: last.at };
}

type EntryParts = readonly [
  number,
  number,
  JournalEntry['entry'],
  string,
  number,
  JournalEntry['status'],
  string,
  unknown,
  JournalEntry['cause'],
  JournalEntry['event'],
  JournalEntry['emits']?,
  string?,
];
