import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LedgerState } from '../../../src/connect/ledger/ledger-state.ts';
import type { LedgerRow, OutcomeRow } from '../../../src/connect/ledger/rows.ts';
import { nonceOf, outcomeRow, reservedRow } from './rows.ts';

describe('sums in the order of the file', () => {
  test('a payment counts from its reservation until the chain has let it lapse', () => {
    const fold = new LedgerState();
    const row = reservedRow();
    const day = () => fold.totals('2026-11-20', 'buy').day;
    fold.add(row);
    expect(day()).toBe(1_000_000n);
    for (const outcome of ['doubtful', 'refused', 'settled'] as const) {
      fold.add(outcomeRow(row, outcome));
      expect(day()).toBe(1_000_000n);
    }
    fold.add(outcomeRow(row, 'released'));
    expect(day()).toBe(0n);
    fold.add(outcomeRow(row, 'settled'));
    expect(day()).toBe(1_000_000n);
  });

  test('what does not fit at its place is turned away and never counts', () => {
    const fold = new LedgerState();
    const caps = { perCall: '2000000', perDay: '3000000', perTool: null };
    for (const place of [1, 2, 3, 4]) fold.add(reservedRow({ nonce: nonceOf(place), caps }));
    expect(fold.entries().map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true, false]);
    expect(fold.totals('2026-11-20', 'buy').day).toBe(3_000_000n);
    const last = fold.find(nonceOf(4));
    if (last !== undefined) fold.add(outcomeRow(last.reserved, 'settled'));
    expect(fold.totals('2026-11-20', 'buy').day).toBe(3_000_000n);
  });

  test('days of UTC and tools have sums of their own; a repeated row counts once', () => {
    const fold = new LedgerState();
    fold.add(reservedRow({ time: '2026-11-20T23:59:59.999Z' }));
    fold.add(reservedRow({ time: '2026-11-20T23:59:59.999Z' }));
    fold.add(reservedRow({ nonce: nonceOf(2), time: '2026-11-21T00:00:00.000Z', tool: 'sell' }));
    expect(fold.totals('2026-11-20', 'buy')).toEqual({ day: 1_000_000n, tool: 1_000_000n });
    expect(fold.totals('2026-11-21', 'buy')).toEqual({ day: 1_000_000n, tool: 0n });
  });
});

/** What several processes may append, each with its own idea of the caps, in any order. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('reserve' as const),
    amount: fc.integer({ min: 0, max: 40 }),
    tool: fc.constantFrom('a', 'b'),
    day: fc.constantFrom('2026-11-20', '2026-11-21'),
    perCall: fc.integer({ min: 0, max: 40 }),
    perDay: fc.integer({ min: 0, max: 100 }),
    perTool: fc.option(fc.integer({ min: 0, max: 60 })),
  }),
  fc.record({
    kind: fc.constant('end' as const),
    place: fc.nat(30),
    // A payment that was released is spent no more: the chain has said so.
    outcome: fc.constantFrom<OutcomeRow['outcome']>('settled', 'refused', 'doubtful', 'released'),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** The fold under test, with the rows that it was given. */
interface Run {
  readonly fold: LedgerState;
  readonly rows: LedgerRow[];
}

function reserve({ fold, rows }: Run, one: Extract<Step, { kind: 'reserve' }>): void {
  const { amount, tool, day, perCall, perDay, perTool } = one;
  const row = reservedRow({
    nonce: nonceOf(rows.length),
    time: `${day}T10:00:00.000Z`,
    tool,
    amount: String(amount),
    caps: {
      perCall: String(perCall),
      perDay: String(perDay),
      perTool: perTool === null ? null : String(perTool),
    },
  });
  const before = fold.totals(day, tool);
  rows.push(row);
  fold.add(row);
  const after = fold.totals(day, tool);
  const isAdmitted = fold.find(row.nonce)?.isAdmitted === true;
  expect(after.day - before.day).toBe(isAdmitted ? BigInt(amount) : 0n);
  if (!isAdmitted) return;
  expect(amount).toBeLessThanOrEqual(perCall);
  expect(after.day).toBeLessThanOrEqual(BigInt(perDay));
  expect(after.tool).toBeLessThanOrEqual(BigInt(perTool ?? after.tool));
}

function end({ fold, rows }: Run, one: Extract<Step, { kind: 'end' }>): void {
  const entry = fold.entries()[one.place];
  if (entry === undefined || entry.last.outcome === 'released') return;
  const row = outcomeRow(entry.reserved, one.outcome);
  rows.push(row);
  fold.add(row);
}

test('property: spent and reserved never exceed a cap, whoever appends in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const run: Run = { fold: new LedgerState(), rows: [] };
      for (const one of steps) {
        if (one.kind === 'reserve') reserve(run, one);
        else end(run, one);
      }
      const again = new LedgerState();
      for (const row of run.rows) again.add(row);
      expect(again.entries()).toEqual(run.fold.entries());
    }),
    { numRuns: 300 },
  );
});
