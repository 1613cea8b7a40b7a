import type { EngineStore, OutboxRow, SnapshotRow, Write } from '../../src/runtime/engine/ports.ts';
import type { EffectRow, TimerRow } from '../../src/runtime/engine/types.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { dead, entry, letterId, listed } from './store-rows.ts';

const ROUNDS = 12;
const ACTORS = 12;
/** Actors that are purged at the end, so the file has free pages. */
const PURGED = 2;
/** An actor with rows that need pages of their own. */
const LONG = 7;
const PLACE = { childId: 'c', token: 'a1:2:c' } as const;

/** Writes a store with rows of every family and of every shape, for 10 actors `a2` to `a11`. */
export async function writeFullStore(path: string): Promise<void> {
  const store = openEngineStore({ path });
  await fillStore(store);
  await store.close();
}

/** Writes the rows of `writeFullStore` to an empty store. */
export async function fillStore(store: EngineStore): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await store.commit(makeRound(round));
  await store.commit(Array.from({ length: ACTORS }, (_, n) => makeOthers(n)).flat());
  await store.compact?.({ force: true });
  for (let n = 0; n < PURGED; n += 1) {
    await store.commit([{ purge: 'actor', row: listed(`a${n}`, 1, 'active') }]);
  }
}

/** Reads everything of a store with the actors of `writeFullStore`. */
export function readFullStore(store: EngineStore): readonly unknown[] {
  const ids = Array.from({ length: ACTORS }, (_, n) => `a${n}`);
  return [
    store.list({ limit: 1_000 }),
    store.list({ limit: 1_000, kind: 'k', status: 'done' }),
    ...ids.map((id) => store.load(id)),
    ...ids.map((id) => store.readJournal(id, 1, 1_000)),
    ...ids.map((id) => store.idempotency(id, 'key')),
    ...ids.map((id) => store.rate('q', id)),
    ...ids.map((key) => store.waitingOf({ queue: 'q', key }, undefined, 10)),
    store.feed(0, 10_000),
    store.dueTimers(Number.MAX_SAFE_INTEGER, 1_000),
    store.deadLetters(undefined, 1_000),
    store.outbox(1_000),
    store.crashes(),
    store.schedules(),
    store.slots(),
    store.actorsWithEffects(),
    store.waiting('q', undefined, 1_000),
    store.lastArrival('q'),
    store.mark('machine/k'),
    store.lastGlobalSeq(),
  ];
}

function makeRound(round: number): readonly Write[] {
  return Array.from({ length: ACTORS }, (_, n): readonly Write[] => {
    const id = `a${n}`;
    const globalSeq = round * ACTORS + n + 1;
    const event = { type: 'A', text: 'ä'.repeat(n === LONG ? 9_000 : 60) };
    const change = { effects: [[], [['c', 'child', 0, [1], null, 1]]] } as const;
    const row = { ...entry(id, round + 1), globalSeq, event };
    const timer: TimerRow = {
      timerId: `t${round}`,
      due: round,
      token: `${id}:1`,
      event: { type: 'T' },
    };
    return [
      { put: 'journal', row, change },
      { put: 'timer', id, row: timer },
      ...(round % 8 === 0 ? [makeSnapshot(id, round + 1)] : []),
      dead(letterId(globalSeq), 1),
    ];
  }).flat();
}

function makeSnapshot(id: string, seq: number, status = 'active'): Write {
  const context = { at: { stoa$$type: 'Date', value: '2026-01-01T00:00:00.000Z' } };
  const snapshot = { status, value: 'x', context, historyValue: {}, children: {} };
  const parent = { id: 'a1', ...PLACE, sync: true } as const;
  const common = { kind: 'k', version: 1, at: seq, createdAt: 1, stuck: false } as const;
  const row = { ...common, seq, snapshot, timers: [], effects: [], parent, trace: 'w' };
  return { put: 'snapshot', id, row: row as SnapshotRow };
}

function makeOthers(n: number): readonly Write[] {
  const id = `a${n}`;
  const effect: EffectRow = {
    childId: 'c',
    src: 'child',
    input: n,
    token: `${id}:2:c`,
    attempt: 1,
    waiting: false,
    sync: true,
  };
  const waiting = { queue: 'q', id: `w${n}`, kind: 'k', key: id, rank: 1, arrival: n + 1, at: 1 };
  return [
    { put: 'index', row: listed(id, 1, 'active') },
    ...makeEnded(n),
    { put: 'effect', id, row: effect },
    { put: 'crash', row: { id, childId: 'c', deaths: 1 } },
    ...makeOutbox(id).map((row): Write => ({ put: 'outbox', row })),
    { put: 'idempotency', id, key: 'key', row: { ack: makeAck(n), expires: 9e15 } },
    {
      put: 'schedule',
      row: { name: id, spec: { kind: 'k' } as never, skipped: 0, isPaused: true },
    },
    { put: 'waiting', row: waiting },
    { put: 'slot', row: { id, queue: 'q', key: id } },
    { put: 'rate', row: { queue: 'q', key: id, freshAt: 9e15 + n } },
    { put: 'mark', name: n === 0 ? 'machine/k' : `machine/k${n}`, text: `hash ${n}` },
  ];
}

function makeEnded(n: number): readonly Write[] {
  const id = `done${n}`;
  const globalSeq = ROUNDS * ACTORS + n + 1;
  const row = { ...entry(id, 1), globalSeq, status: 'done' } as const;
  return [
    { put: 'journal', row },
    makeSnapshot(id, 1, 'done'),
    { put: 'index', row: listed(id, 1, 'done') },
  ];
}

/** A message of each shape. */
function makeOutbox(from: string): readonly OutboxRow[] {
  const event = { type: 'E' };
  const shapes: readonly Partial<OutboxRow>[] = [
    { event },
    { create: { kind: 'k', input: 1, parent: { id: from, ...PLACE } } },
    { child: { token: PLACE.token, stop: true } },
    { event, effect: { token: PLACE.token } },
    { event, snapshot: PLACE },
    { event, result: PLACE, isRelative: true, trace: 'w' },
    { call: { name: 'log', params: { n: 1 } } as never },
  ];
  return shapes.map((shape, n) => ({ from, fromSeq: 20, n, to: 'a1', ...shape }));
}

function makeAck(n: number) {
  return { id: `a${n}`, seq: n + 1, value: 'x' } as never;
}
