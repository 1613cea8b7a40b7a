import { expect } from 'vitest';
import type { SyncEngineStore } from '../../src/runtime/engine/ports.ts';
import type { JournalEntry } from '../../src/runtime/engine/types.ts';

// Rows of the actors that test/support/programs/{engine,disk}-writers.mjs write.

/** What was promised: actor to row to the mark of its event. */
export type Promised = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Checks that a store has what was promised, and that its rows are those of one whole story. */
export function expectPromised(store: SyncEngineStore, promised: Promised): void {
  const positions = new Set<number>();
  for (const [id, marks] of promised) {
    const rows = store.readJournal(id, 1, Number.MAX_SAFE_INTEGER);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
    for (const [seq, mark] of marks) expect(markOf(rows[seq - 1]), `${id} ${seq}`).toBe(mark);
    for (const { globalSeq } of rows) {
      expect(positions.has(globalSeq)).toBe(false);
      positions.add(globalSeq);
    }
    expectRowsOfState(store, id, rows);
  }
}

function markOf(row: JournalEntry | undefined): string {
  return `${String(row?.event['life'])}:${String(row?.event['n'])}`;
}

/** Timer and effect rows are those of the state that the journal leads to. */
function expectRowsOfState(
  store: SyncEngineStore,
  id: string,
  rows: readonly JournalEntry[],
): void {
  // A result of an effect whose state has been left is a row that changes nothing.
  const last = rows.findLast(({ entry }) => entry !== 'stale');
  const { timers = [], effects = [] } = store.load(id) ?? {};
  const tokens = [...timers, ...effects].map(({ token }) => token);
  const [name, others] =
    last?.value === 'timed' ? ['xstate.after.86400000.flip.timed', effects] : ['wait', timers];
  expect(tokens).toEqual([`${id}:${last?.seq}:${name}`]);
  expect(others).toEqual([]);
}
