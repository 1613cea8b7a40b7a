import type { RowChange, SnapshotRow, TailRow } from '../../runtime/engine/ports.ts';
import type { Cause, JournalEntry, ListRow } from '../../runtime/engine/types.ts';

// Rows are JSON lists that omit what their key contains and all member names, to save space. JSON
// preserves every string exactly, including lone surrogates.

/**
 * Encodes a journal row without its key `[id, seq]`. The most frequent value of a part is encoded
 * as 0.
 *
 * @param change - What the row's event changed; see `RowChange`.
 */
export function encodeEntry(row: JournalEntry, change?: RowChange): string {
  const { id, globalSeq, at, entry, kind, version, status, hash, value, event, emits, trace } = row;
  const parts: unknown[] = [
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
  if (change === undefined) dropTrailingDefaults(parts);
  else parts.push(encodeChange(change));
  return JSON.stringify(parts);
}

function dropTrailingDefaults(parts: unknown[]): void {
  while (parts.at(-1) === 0) parts.pop();
}

/** Decodes the result of `encodeEntry`. */
export function decodeEntry(id: string, seq: number, text: string): JournalEntry {
  return toEntry(id, seq, JSON.parse(text) as EntryParts);
}

/** Decodes a row together with what its event changed. */
export function decodeTailRow(id: string, seq: number, text: string): TailRow {
  const parts = JSON.parse(text) as EntryParts;
  const entry = toEntry(id, seq, parts);
  const change = parts[12];
  return change === undefined ? entry : { ...entry, change: decodeChange(change) };
}

function toEntry(id: string, seq: number, parts: EntryParts): JournalEntry {
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

/** Encodes the causes by timers and effects as tokens, which usually start with the actor's id. */
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

/** Encodes a snapshot row without its key `[id, seq]`. */
export function encodeSnapshot({ seq: _seq, ...row }: SnapshotRow): string {
  return JSON.stringify(row);
}

/** Decodes the result of `encodeSnapshot`. */
export function decodeSnapshot(seq: number, text: string): SnapshotRow {
  return { ...(JSON.parse(text) as Omit<SnapshotRow, 'seq'>), seq };
}

/** Encodes an index row: the parts that change only with the state. */
export function encodeListed({ state, status, createdAt, attributes }: ListRow): string {
  const parts = [state, status, createdAt];
  return JSON.stringify(attributes === undefined ? parts : [...parts, attributes]);
}

/**
 * Decodes the result of `encodeListed`; sequence number and time come from the last journal row.
 */
export function decodeListed(
  key: { readonly kind: string; readonly id: string },
  last: { readonly seq: number; readonly at: number },
  text: string,
): ListRow {
  const [state, status, createdAt, attributes] = JSON.parse(text) as ListedParts;
  const { seq, at } = last;
  const row: ListRow = { id: key.id, kind: key.kind, state, status, seq, createdAt, at };
  return attributes === undefined ? row : { ...row, attributes };
}

type ListedParts = readonly [string, ListRow['status'], number, ListRow['attributes']?];

/** Rows of format 2 contain no 0 and have all parts. */
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

/** `0` for an outside event, `[token]` for a timer, `[token, attempt]` for an effect. */
type EncodedCause = Cause | 0 | readonly [string, number?];

/** `0` if nothing changed; otherwise each part in a list of one, or `0`. */
type EncodedChange = 0 | readonly (readonly [unknown] | 0)[];

function encodeChange({ context, timers, effects, history, output }: RowChange): EncodedChange {
  const parts: (readonly [unknown] | 0)[] = [];
  for (const part of [context, timers, effects, history, output]) {
    parts.push(part === undefined ? 0 : [part]);
  }
  dropTrailingDefaults(parts);
  return parts.length === 0 ? 0 : parts;
}

function decodeChange(encoded: EncodedChange): RowChange {
  if (encoded === 0) return {};
  const names = ['context', 'timers', 'effects', 'history', 'output'] as const;
  const parts = encoded.map((part, at) => (part === 0 ? [] : [[names[at], part[0]] as const]));
  return Object.fromEntries(parts.flat());
}
