import type { Write } from '../../src/runtime/engine/ports.ts';
import type { JournalEntry, ListRow } from '../../src/runtime/engine/types.ts';

// Rows as an engine writes them, for tests of stores.

/** The write of a journal row. */
export function journalWrite(id: string, seq: number): Write {
  return { put: 'journal', row: entry(id, seq) };
}

/** A journal row. */
export function entry(id: string, seq: number, at = seq): JournalEntry {
  return {
    id,
    kind: 'k',
    seq,
    globalSeq: seq,
    at,
    entry: 'event',
    event: { type: 'A' },
    cause: { by: 'outside' },
    version: 1,
    value: 'x',
    status: 'active',
    hash: '0'.repeat(16),
    emits: [],
  };
}

/** The rows of an actor that ended at a time. */
export function ended(id: string, at: number, globalSeq: number): readonly Write[] {
  const row = { ...entry(id, 1, at), globalSeq };
  return [
    { put: 'journal', row },
    { put: 'index', row: listed(id, at, 'done') },
  ];
}

/** An index row. */
export function listed(id: string, at: number, status: ListRow['status']): ListRow {
  return { id, kind: 'k', state: 'x', status, seq: 1, createdAt: at, at };
}

/** The id of a dead letter of a time. */
export function letterId(at: number): string {
  return `${String(at).padStart(15, '0')}-1`;
}

/** The write of a dead letter. */
export function dead(deadLetterId: string, at: number): Write {
  const cause = { by: 'outside' } as const;
  return {
    put: 'dead',
    row: { deadLetterId, actorId: 'a', at, event: { type: 'A' }, cause, reason: '' },
  };
}
