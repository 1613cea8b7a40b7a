import { beforeAll, expect, test } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine, Definition, JournalEntry } from '../../../src/runtime/engine/types.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { journalLines } from '../../../src/runtime/journal/rehearsal.ts';
import { rehearse } from '../../../src/runtime/journal/rehearse.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { contextMigration, counter, hold, post, worker } from '../../support/actors.ts';
import {
  definitionOf,
  RECORDINGS,
  readRecording,
  recordJournals,
} from '../../support/recorded-journals.ts';

beforeAll(async () => {
  if (process.env['STOA_RECORD'] !== undefined) await recordJournals();
});

test.each(Object.keys(RECORDINGS))('the recorded journal %s replays alike', async (name) => {
  const rehearsal = await rehearse(definitionOf(name), readRecording(name));
  expect(rehearsal).toEqual({ same: true, rows: expect.any(Number) as number });
  expect('rows' in rehearsal && rehearsal.rows).toBeGreaterThan(3);
});

test('a debate without rebuttals differs at the end of its openings, by name', async () => {
  const debate = changed(definitionOf('debate-decided'), {
    guards: { hasRoundsLeft: () => false },
  });
  expect(await rehearse(debate, readRecording('debate-decided'))).toMatchObject({
    same: false,
    seq: 6,
    event: { type: 'xstate.done.actor.opening.0.s4' },
    what: 'value',
    recorded: { value: { deliberating: 'rebuttal' } },
    replayed: { value: { deliberating: 'voting' } },
  });
});

test('a payment that is refused at its check differs in that row, by name', async () => {
  const payment = changed(definitionOf('payment-closed'), { guards: { isRefused: () => true } });
  expect(await rehearse(payment, readRecording('payment-closed'))).toMatchObject({
    same: false,
    seq: 2,
    event: { type: 'xstate.done.actor.check' },
    what: 'status',
    recorded: { value: 'verified', status: 'active' },
    replayed: { status: 'done' },
  });
});

test('a context that is computed otherwise is named with the row', async () => {
  const rows = await journalOf([counter], async (engine) => {
    await engine.create('counter', 'a', { total: 1 });
    for (const n of [1, 2, 3]) await engine.tell('a', { type: 'ADD', n });
    await engine.tell('a', { type: 'CLOSE' });
  });
  expect(await rehearse(counter, rows)).toEqual({ same: true, rows: 5 });
  const twice = changed(counter, {
    actions: {
      add: assign(({ context, event }) => ({
        total: context['total'] + (event['n'] === 2 ? 20 : event['n']),
      })),
    },
  });
  expect(await rehearse(twice, rows)).toEqual({
    same: false,
    seq: 3,
    at: rows[2]?.at,
    event: { type: 'ADD', n: 2 },
    what: 'context',
    recorded: {
      entry: 'event',
      value: 'open',
      status: 'active',
      version: 1,
      hash: rows[2]?.hash,
    },
    replayed: {
      version: 1,
      value: 'open',
      status: 'active',
      hash: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      context: { total: 22 },
    },
  });
});

test('states, ends, emits and events that are not taken are told apart', async () => {
  const rows = await journalOf([counter], async (engine) => {
    await engine.create('counter', 'a');
    await engine.tell('a', { type: 'ADD', n: 1 });
    await engine.tell('a', { type: 'BREAK' }).catch(() => undefined);
    await engine.tell('a', { type: 'CLOSE' });
  });
  const differs = async (over: object) => {
    const found = await rehearse(changed(counter, over), rows);
    return 'what' in found ? [found.seq, found.what] : 'same';
  };
  expect(await differs({})).toBe('same');
  expect(await differs({ actions: { tellTotal: emit({ type: 'SUM' }) } })).toEqual([2, 'emits']);
  expect(await differs({ guards: { broken: () => false } })).toEqual([3, 'poison']);
  const throws = assign(() => {
    throw new Error('not any more');
  });
  const poisoned = await rehearse(changed(counter, { actions: { add: throws } }), rows);
  expect(poisoned).toMatchObject({
    seq: 2,
    what: 'poison',
    reason: 'ADD: not any more',
    replayed: { value: 'open', context: { total: 0 } },
  });
  const open = define({ ...counter, effects: {}, machine: neverEnds() });
  const [first, , , last] = rows as readonly [JournalEntry, unknown, unknown, JournalEntry];
  expect(await rehearse(open, [first, { ...last, seq: 2 }])).toMatchObject({
    seq: 2,
    what: 'status',
  });
});

test('timers and results that are no longer expected are named', async () => {
  const timed = await journalOf([hold], async (engine, clock) => {
    await engine.create('hold', 'h', { holdMs: 1_000 });
    await clock.advance(500);
    await engine.tell('h', { type: 'AGAIN' });
    await clock.advance(1_000);
  });
  expect(await rehearse(hold, timed)).toEqual({ same: true, rows: 3 });
  const later = changed(hold, { delays: { wait: 5_000 } });
  expect(await rehearse(later, timed)).toEqual({ same: true, rows: 3 });
  const stale = timed.map((row) => (row.seq === 3 ? { ...row, entry: 'stale' as const } : row));
  expect(await rehearse(hold, stale)).toMatchObject({ seq: 3, what: 'timers' });
  const waiting = worker({ run: async () => LATER });
  const worked = await journalOf([waiting], async (engine) => {
    await engine.create('worker', 'w');
    await new Promise((resolve) => setImmediate(resolve));
    await engine.complete('w:1:job', { ok: true, output: 4 });
  });
  expect(await rehearse(waiting, worked)).toEqual({ same: true, rows: 2 });
  const token = worked.map((row) =>
    row.seq === 2
      ? { ...row, cause: { by: 'effect', token: 'w:1:other', attempt: 1 } as const }
      : row,
  );
  expect(await rehearse(waiting, token)).toMatchObject({ seq: 2, what: 'effects' });
});

test('a journal goes on through its migrations, or names the one that is missing', async () => {
  const second: Definition = {
    ...counter,
    version: 2,
    migrations: [contextMigration(1, (context) => ({ ...context, unit: 'each' }))],
  };
  const store = memoryStore();
  const clock = new SimulatedClock();
  const first = await createEngine({ store, clock, definitions: [counter] });
  await first.create('counter', 'a');
  await first.tell('a', { type: 'ADD', n: 1 });
  await first.close();
  const engine = await createEngine({ store, clock, definitions: [second] });
  await engine.tell('a', { type: 'ADD', n: 2 });
  const rows = store.readJournal('a', 1, 10);
  expect(await rehearse(second, rows)).toEqual({ same: true, rows: 4 });
  expect(await rehearse(second, engine.journal('a'))).toEqual({ same: true, rows: 4 });
  expect(await rehearse({ ...second, migrations: [] }, rows)).toMatchObject({
    seq: 3,
    what: 'migration',
    recorded: { version: 2 },
    reason: expect.stringContaining('there is no migration from version 1') as string,
  });
  expect(await rehearse(counter, rows)).toMatchObject({ seq: 3, what: 'migration' });
  const snapshot = store.loadAt('a', 3)?.snapshot;
  expect(snapshot?.seq).toBe(3);
  expect(await rehearse({ ...second, migrations: [] }, rows, snapshot)).toEqual({
    same: true,
    rows: 1,
  });
  const wrong = changed(second, { actions: { add: assign({ total: 9 }) } });
  expect(await rehearse(wrong, rows)).toMatchObject({
    seq: 2,
    what: 'context',
    recorded: { version: 1 },
    replayed: { version: 2 },
  });
});

test('a fork is rehearsed from its snapshot', async () => {
  const store = memoryStore();
  const engine = await createEngine({ store, clock: new SimulatedClock(), definitions: [counter] });
  await engine.create('counter', 'a');
  await engine.tell('a', { type: 'ADD', n: 5 });
  const { id } = await engine.fork('a', 2);
  await engine.tell(id, { type: 'ADD', n: 1 });
  const rows = store.readJournal(id, 1, 10);
  await expect(rehearse(counter, rows)).rejects.toMatchObject({ code: 'JOURNAL_INVALID' });
  const snapshot = store.loadAt(id, 1)?.snapshot;
  expect(await rehearse(counter, rows, snapshot)).toEqual({ same: true, rows: 1 });
});

test('stuck and stopped actors replay as they were', async () => {
  const rows = await journalOf([post], async (engine, clock) => {
    await engine.create('post', 'a');
    await engine.create('post', 'p');
    await engine.tell('p', { type: 'FORWARD', to: 'a' });
    await clock.advance(60_000);
    await engine.stop('a');
  });
  expect(rows.map(({ status }) => status)).toEqual(['active', 'stuck', 'stopped']);
  expect(await rehearse(post, rows)).toEqual({ same: true, rows: 3 });
});

test('rows that are not one journal are refused by name', async () => {
  const rows = await journalOf([counter], async (engine) => {
    await engine.create('counter', 'a');
    await engine.tell('a', { type: 'ADD', n: 1 });
    await engine.tell('a', { type: 'ADD', n: 1 });
  });
  const [first, second, third] = rows as [JournalEntry, JournalEntry, JournalEntry];
  const refused = async (journal: readonly JournalEntry[], of: Definition = counter) => {
    const error = await rehearse(of, journal).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : 'taken';
  };
  expect(await refused([first, third])).toBe('Row 3 found where row 2 was expected.');
  expect(await refused([first, { ...second, id: 'b' }])).toBe(
    'Row 2 belongs to b, the first row to a.',
  );
  expect(await refused([first], hold)).toBe('Row 1 belongs to the kind counter.');
  expect(await refused([second])).toBe('Row 2 found where row 1 was expected.');
  const lines = [JSON.stringify(first), '', '{"seq":1}'];
  await expect(rehearse(counter, journalLines(lines))).rejects.toMatchObject({
    code: 'JOURNAL_INVALID',
    data: { line: 3 },
  });
  await expect(rehearse(counter, journalLines(['{']))).rejects.toMatchObject({ data: { line: 1 } });
});

/** Journal of the first actor that `play` makes. */
async function journalOf(
  definitions: readonly Definition[],
  play: (engine: ActorEngine, clock: SimulatedClock) => Promise<void>,
): Promise<readonly JournalEntry[]> {
  const store = memoryStore();
  const clock = new SimulatedClock(1_000);
  const engine = await createEngine({ store, clock, definitions });
  await play(engine, clock);
  const id = store.feed(0, 1)[0]?.id ?? '';
  return store.readJournal(id, 1, 100);
}

function changed(definition: Definition, over: object): Definition {
  return { ...definition, machine: definition.machine.provide(over as never) };
}

function neverEnds() {
  return setup({ types: { context: {} as { readonly total: number } } }).createMachine({
    context: { total: 0 },
    initial: 'open',
    states: { open: {} },
  });
}
