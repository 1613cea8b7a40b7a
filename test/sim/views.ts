import type { JournalEntry, ListRow, View } from '../../src/runtime/engine/types.ts';
import type { ModelRow } from './model-actor.ts';
import { isSame, plain } from './model-state.ts';
import type { World } from './world.ts';

/** Older dead letters may be gone, in milliseconds. */
const LETTERS_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;

/** Newest rows of an actor that are compared whole. */
const ROWS_COMPARED = 4;

/** Compares a view with the row that it says it is of. */
export function checkView(world: World, view: View, atSeq?: number): void {
  const { oracle, faults } = world;
  const row = oracle.row(view.id, view.seq);
  faults.check(row !== undefined, 'a view is of a row that is safe', () => view);
  if (row === undefined) return;
  const seen = plain({
    value: view.value,
    context: view.context,
    status: view.status,
    at: view.at,
  });
  const model = modelOf(row);
  faults.check(isSame(seen, model), 'a view is the state of its row', () => ({ view, model }));
  const rows = [...view.timers, ...view.effects].map(({ token }) => token).sort();
  const wanted = [...row.timers.values(), ...row.effects.values()].map(({ token }) => token).sort();
  faults.check(isSame(rows, wanted), 'a view has the rows of its state', () => ({ view, wanted }));
  if (atSeq !== undefined) {
    faults.check(view.seq === atSeq, 'time travel goes to the row asked for', () => view);
  }
}

/** Compares everything that a store answers with what the oracle knows. */
export function checkStore(world: World): void {
  const { oracle, faults, disk } = world;
  const { rows } = disk;
  const claim = (name: string, left: unknown, right: unknown): void =>
    faults.check(isSame(left, right), `the store keeps its ${name}`, () => ({ left, right }));
  claim('place in the global order', rows.lastGlobalSeq(), oracle.globalSeq);
  const isThere = (entry: JournalEntry) =>
    oracle.actors.get(entry.id)?.rows[entry.seq - 1]?.entry === entry;
  const places = (list: readonly JournalEntry[]) => list.map(({ globalSeq }) => globalSeq).join();
  const feed = rows.feed(1, Number.POSITIVE_INFINITY);
  claim('feed', places(feed), places(oracle.feed.filter(isThere)));
  claim('outbox', sorted(rows.outbox(100_000)), sorted([...oracle.outbox.values()]));
  const isKept = ({ at }: { readonly at: number }) => at > world.clock.now() - LETTERS_KEPT_MS;
  const letters = rows.deadLetters(undefined, 100_000).rows.filter(isKept);
  const wanted = [...oracle.dead.values()].filter(isKept).map((row) => row.deadLetterId);
  claim(
    'dead letters',
    letters.map((row) => row.deadLetterId),
    wanted.sort(),
  );
  const due = rows.dueTimers(Number.POSITIVE_INFINITY, 100_000).map(({ row }) => row.token);
  const timers = [...oracle.actors.values()].flatMap(({ shelf }) => [...shelf.timers.values()]);
  claim('timers', [...due].sort(), timers.map(({ token }) => token).sort());
  for (const { name } of world.limits.queues) {
    claim('waiting rows', rows.waiting(name, undefined, 100_000), oracle.queues.inOrder(name));
    claim('count of a queue', rows.waitingCount(name), oracle.queues.inOrder(name).length);
  }
  claim('places', sorted(rows.slots()), sorted([...oracle.queues.slots.values()]));
  claim('schedules', sorted(rows.schedules()), sorted([...oracle.schedules.rows.values()]));
  for (const actor of oracle.actors.values()) {
    const journal = rows.readJournal(actor.id, 1, Number.POSITIVE_INFINITY);
    const kept = actor.rows.map(({ entry }) => entry);
    claim('journal', places(journal), places(kept));
    // Rows never change: the newest ones are enough, as every row was among them once.
    claim('rows', journal.slice(-ROWS_COMPARED), kept.slice(-ROWS_COMPARED));
  }
}

/** Compares the whole list with the actors that there are. */
export function checkList(world: World, listed: readonly ListRow[]): void {
  const { oracle, faults } = world;
  const wanted = [...oracle.actors.values()].map((actor) => {
    const { last, kind, id, status } = actor;
    return { id, kind, status, seq: last?.entry.seq, at: last?.entry.at };
  });
  const key = (row: { readonly kind: string; readonly id: string }) => `${row.kind}\n${row.id}`;
  const sorted = wanted.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const found = listed.map(({ id, kind, status, seq, at }) => ({ id, kind, status, seq, at }));
  faults.check(isSame(found, sorted), 'the list has every actor as it is', () => ({
    found,
    wanted: sorted,
  }));
}

/** The books of the chain and the memory of every payer say the same. */
export function checkBooks(world: World): void {
  const { oracle, faults, chain } = world;
  for (const actor of [...oracle.actors.values(), ...oracle.graves.values()]) {
    if (actor.kind !== 'payer') continue;
    const { nonce, ends = {} } = (actor.last?.snapshot.context ?? {}) as {
      nonce?: string;
      ends?: Readonly<Record<string, string>>;
    };
    for (const [key, how] of Object.entries(ends)) {
      const state = chain.stateOf(key);
      // A refund that landed without an answer is known to the chain first.
      const isTrue = state === how || (how === 'paid' && state === 'refunded');
      faults.check(isTrue, 'chain and payer agree', () => ({
        id: actor.id,
        nonce,
        key,
        how,
        state,
      }));
    }
  }
}

function sorted(list: readonly unknown[]): readonly string[] {
  return list.map((row) => JSON.stringify(row)).sort();
}

function modelOf(row: ModelRow) {
  const { snapshot, stuck, entry } = row;
  const { value, context } = snapshot;
  return plain({ value, context, status: stuck ? 'stuck' : snapshot.status, at: entry.at });
}
