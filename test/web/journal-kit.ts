import type { ActorPoint, JournalRow } from '../../src/domain/inspect/wire.ts';
import type { JournalPage } from '../../web/src/journal/rows.ts';

/** A row of a journal in which each row came a second after the one before. */
export function rowOf(seq: number, parts: Partial<JournalRow> = {}): JournalRow {
  return {
    id: 'one',
    kind: 'counter',
    seq,
    globalSeq: seq,
    at: seq * 1000,
    entry: 'event',
    event: { type: `E${seq}` },
    cause: { by: 'outside' },
    version: 1,
    activeIds: ['on'],
    status: 'active',
    emits: [],
    ...parts,
  };
}

/** A state at a row. */
export function pointOf(seq: number): ActorPoint {
  return {
    id: 'one',
    kind: 'counter',
    version: 1,
    seq,
    at: seq * 1000,
    createdAt: 0,
    status: 'active',
    value: 'on',
    activeIds: ['on'],
    context: { count: seq },
    tags: [],
    output: null,
    timers: [],
    effects: [],
    possible: [],
    last: null,
  };
}

/** Answers readings of a journal with the rows `first` to `last`, and counts them. */
export function journalOf(first: number, last: number) {
  const asked: number[] = [];
  const read = async (from: number, limit: number): Promise<JournalPage> => {
    asked.push(from);
    const begin = Math.max(from, first);
    const count = Math.max(0, Math.min(limit, last - begin + 1));
    const rows = Array.from({ length: count }, (_, index) => rowOf(begin + index));
    return { rows, firstSeq: first, lastSeq: last };
  };
  return { asked, read };
}
