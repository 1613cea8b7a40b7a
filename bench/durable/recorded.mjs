import { fromDist } from '../lib/dist.mjs';
import { flipDefinition, flipEvent } from './work.mjs';

/** Calls that are recorded: some have a snapshot, and this is a whole number of its periods. */
const CALLS = 64;

/**
 * What our engine writes for a number of calls of one actor, as rows of the store.
 *
 * @returns For each call its rows, the journal row first: database, key for an actor, and text; a row
 * without a text is removed.
 */
export async function recordedCalls() {
  const { createEngine } = await fromDist('runtime/engine/engine.js');
  const { systemClock } = await fromDist('runtime/timer/clock.js');
  const { memoryStore } = await fromDist('runtime/store/memory-store.js');
  const { EngineRows } = await fromDist('store/engine/engine-rows.js');
  // Databases stand for their names here: the rows are looked at, not written.
  const rows = new EngineRows({ openTable: (name) => ({ name }) });
  const store = memoryStore();
  const commit = store.commit.bind(store);
  const commits = [];
  store.commit = (writes) => {
    commits.push(rows.toOps(writes));
    return commit(writes);
  };
  const definitions = [await flipDefinition()];
  const engine = await createEngine({ store, clock: systemClock(), definitions });
  await engine.create('flip', 'flip/0');
  commits.length = 0;
  for (let n = 0; n < CALLS; n += 1) await engine.tell('flip/0', flipEvent(n));
  const told = commits.slice();
  await engine.close();
  return told.map((ops) => ops.map(rowOf));
}

function rowOf({ db, key, text }) {
  const ending = ENDING.has(db.name) ? ({ id }) => [...key.slice(0, -1), id] : () => key;
  return { name: db.name, text, keyOf: KEYS[db.name] ?? ending };
}

const KEYS = {
  journal: ({ id, seq }) => [id, seq],
  feed: ({ globalSeq }) => globalSeq,
  snapshots: ({ id, seq }) => [id, seq],
  index: ({ id }) => ['flip', id],
};
// Their keys hold what changed, and end with the actor.
const ENDING = new Set(['facets']);
