import type { RowChange, SnapshotRow, TailRow } from '../../runtime/engine/ports.ts';
import type { Cause, JournalEntry, ListRow } from '../../runtime/engine/types.ts';

// Rows are JSON lists: what the key says already is not said again, and names of members are not
// written a million times. JSON, because it gives back every string as it was, lone surrogates too.

/**
 * Writes a journal row without what its key `[id, seq]` says. What most rows have is written as 0.
 *
 * @param change - What the row's event changed; see `RowChange`.
 */
export function encodeEntry(row: JournalEntry, change?: RowChange): string {
  const { id, globalSeq, at, entry, kind, version, status, hash, value, event, emits, trace } = row;
  const head = [
    globalSeq,
    at,
    entry === 'event' ? 0 : entry,
    kind,
    version,
    status === 'active' ? 0 : status,
    hash,
    value,
    encodeCause(id, row.cause),
    event,
    emits.length === 0 ? 0 : emits,
    trace ?? 0,
  ];
  if (change !== undefined) return JSON.stringify([...head, encodeChange(change)]);
  // What is at the end and says nothing is left out.
  return JSON.stringify(head.slice(0, head.findLastIndex((part) => part !== 0) + 1));
}

/** Reads what `encodeEntry` wrote. */
export function decodeEntry(id: string, seq: number, text: string): JournalEntry {
  return entryOf(id, seq, JSON.parse(text) as EntryParts);
}

/** Reads the same with what the row's event changed. */
export function decodeTailRow(id: string, seq: number, text: string): TailRow {
  const parts = JSON.parse(text) as EntryParts;
  const entry = entryOf(id, seq, parts);
  const change = parts[12];
  return change === undefined ? entry : { ...entry, change: decodeChange(change) };
}

function entryOf(id: string, seq: number, parts: EntryParts): JournalEntry {
  const [globalSeq, at, entry, kind, version, status, hash, value, cause, event, emits, trace] =
    parts;
  const row: JournalEntry = {
    id,
    kind,
    seq,
    globalSeq,
    at,
    entry: entry || 'event',
    event,
    cause: decodeCause(id, cause),
    version,
    value,
    status: status || 'active',
    hash,
    emits: emits || [],
  };
  return trace ? { ...row, trace } : row;
}

/** Timers and effects are told by their tokens, which begin with the id of their actor. */
function encodeCause(id: string, cause: Cause): EncodedCause {
  switch (cause.by) {
    case 'outside':
      return Object.keys(cause).length === 1 ? 0 : cause;
    case 'timer':
      return [encodeToken(id, cause.token)];
    case 'effect':
      return [encodeToken(id, cause.token), cause.attempt];
    case 'actor':
    case 'create':
    case 'engine':
    case 'retry':
      return cause;
  }
}

function decodeCause(id: string, encoded: EncodedCause): Cause {
  if (encoded === 0) return { by: 'outside' };
  if (!Array.isArray(encoded)) return encoded as Cause;
  const [short, attempt] = encoded as readonly [string, number?];
  const token = short.startsWith(':') ? `${id}${short}` : short.slice(1);
  return attempt === undefined ? { by: 'timer', token } : { by: 'effect', token, attempt };
}

function encodeToken(id: string, token: string): string {
  return token.startsWith(`${id}:`) ? token.slice(id.length) : `=${token}`;
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

/** Rows of format 2 have no 0 but write everything out. */
type EntryParts = readonly [
  number,
  number,
  JournalEntry['entry'] | 0,
  string,
  number,
  JournalEntry['status'] | 0,
  string,
  unknown,
  EncodedCause,
  JournalEntry['event'],
  (JournalEntry['emits'] | 0)?,
  (string | 0)?,
  EncodedChange?,
];

/** `0` of an event from outside, `[token]` of a timer, `[token, attempt]` of an effect. */
type EncodedCause = Cause | 0 | readonly [string, number?];

/** `0` where nothing changed; otherwise each part in a list of one, or `0`. */
type EncodedChange = 0 | readonly (readonly [unknown] | 0)[];

function encodeChange({ context, timers, effects, history, output }: RowChange): EncodedChange {
  const parts = [context, timers, effects, history, output].map((part) =>
    part === undefined ? 0 : ([part] as const),
  );
  const last = parts.findLastIndex((part) => part !== 0);
  return last < 0 ? 0 : parts.slice(0, last + 1);
}

function decodeChange(encoded: EncodedChange): RowChange {
  if (encoded === 0) return {};
  const names = ['context', 'timers', 'effects', 'history', 'output'] as const;
  const parts = encoded.map((part, at) => (part === 0 ? [] : [[names[at], part[0]] as const]));
  return Object.fromEntries(parts.flat());
}
