import { expect, test } from 'vitest';
import { Outlet } from '../../../src/actors/inspect/outlet.ts';
import { RowCursor, RowSource } from '../../../src/actors/inspect/row-source.ts';
import type { JournalRow } from '../../../src/domain/inspect/wire.ts';
import type { JournalEntry } from '../../../src/runtime/engine/types.ts';
import { deferred } from '../../support/deferred.ts';
import { realClock } from '../../support/real-clock.ts';

const rowAt = (seq: number) => ({ seq, globalSeq: seq }) as JournalEntry;

function sourceOf(read: (from: number, limit: number) => Promise<readonly JournalEntry[]>) {
  const live: ((entry: JournalEntry) => void)[] = [];
  const source = new RowSource(
    {
      positionOf: ({ seq }) => seq,
      read,
      watch: (_from, listener) => {
        live.push(listener);
        return () => live.splice(0);
      },
      toRow: ({ seq }) => ({ seq }) as JournalRow,
    },
    realClock,
    11,
  );
  const commit = (seq: number): void => {
    for (const tell of live) tell(rowAt(seq));
  };
  return { source, commit };
}

function cursorOf(source: RowSource, from: number) {
  const seen: number[] = [];
  const answers = { keepsUp: true };
  const outlet = new Outlet({ push: () => answers.keepsUp });
  const cursor = new RowCursor(source, from, {
    outlet,
    fail: (thrown) => {
      throw thrown;
    },
    push: (rows) => {
      seen.push(...rows.map(({ seq }) => seq));
      outlet.push({ kind: 'rows', rows, nextSeq: 0 });
    },
  });
  outlet.add(cursor);
  return { cursor, outlet, seen, answers };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('rows that were read for a client that has shut meanwhile are read again for it', async () => {
  const reads = [deferred<readonly JournalEntry[]>(), deferred<readonly JournalEntry[]>()];
  let count = 0;
  const { source } = sourceOf(() => reads[count++]?.promise ?? Promise.resolve([]));
  const { cursor, outlet, seen, answers } = cursorOf(source, 9);
  cursor.pump();
  answers.keepsUp = false;
  outlet.push({ kind: 'shown', event: {} });
  reads[0]?.resolve([rowAt(9), rowAt(10)]);
  await settled();
  expect(seen).toEqual([]);
  answers.keepsUp = true;
  outlet.resume();
  reads[1]?.resolve([rowAt(9), rowAt(10)]);
  await settled();
  expect(seen).toEqual([9, 10]);
});

test('old rows are read, new ones come from memory, and what is gone holds nothing up', async () => {
  const { source, commit } = sourceOf(async () => []);
  const { cursor, seen } = cursorOf(source, 3);
  cursor.pump();
  await settled();
  for (let seq = 11; seq <= 13; seq += 1) commit(seq);
  cursor.pump();
  expect(seen).toEqual([11, 12, 13]);
});

test('a client that falls behind what is kept in memory reads on, without a gap', async () => {
  let last = 10;
  const { source, commit } = sourceOf(async (from, limit) =>
    Array.from({ length: Math.min(limit, last - from + 1) }, (_, at) => rowAt(from + at)),
  );
  const { cursor, outlet, seen, answers } = cursorOf(source, 11);
  answers.keepsUp = false;
  outlet.push({ kind: 'shown', event: {} });
  for (last = 11; last < 9_000; last += 1) commit(last);
  commit(9_000);
  answers.keepsUp = true;
  outlet.resume();
  for (let turns = 0; turns < 100 && seen.at(-1) !== 9_000; turns += 1) await settled();
  expect(seen).toEqual(Array.from({ length: 8_990 }, (_, at) => at + 11));
  cursor.stop();
});
