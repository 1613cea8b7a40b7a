import { afterEach, expect, test } from 'vitest';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import type { EngineStore } from '../../src/runtime/engine/ports.ts';
import type { ActorEngine, JournalEntry } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { counter } from '../support/actors.ts';

const engines: ActorEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

// A read of LMDB sees what was there when its turn of the event loop began.
test('a row that is committed in the turn of the watch is told, though the store hides it', async () => {
  const store = memoryStore();
  let hidden = Number.POSITIVE_INFINITY;
  const shown = (rows: readonly JournalEntry[]) => rows.filter(({ seq }) => seq < hidden);
  const hiding = {
    journal: (id: string, from: number, limit: number) => shown(store.readJournal(id, from, limit)),
    feed: (from: number, limit: number) => shown(store.feed(from, limit)),
  };
  const stale: EngineStore = new Proxy(store, {
    get: (target, name) => {
      const part: unknown = Reflect.get({ ...hiding }, name) ?? Reflect.get(target, name);
      return typeof part === 'function' ? part.bind(target) : part;
    },
  });
  const clock = new SimulatedClock(0);
  const engine = await createEngine({ store: stale, clock, definitions: [counter] });
  engines.push(engine);
  await engine.create('counter', 'c');
  const told: number[] = [];
  const fed: number[] = [];
  engine.watch('c', 2, ({ seq }) => {
    if (seq !== 2) return;
    // Those who begin inside this call hear of the row before they have read anything.
    engine.watch('c', 1, (entry) => told.push(entry.seq));
    engine.feed(1, (entry) => fed.push(entry.seq));
  });
  await new Promise((turn) => setImmediate(turn));
  hidden = 2;
  await engine.tell('c', { type: 'ADD', n: 1 });
  await new Promise((turn) => setImmediate(turn));
  hidden = Number.POSITIVE_INFINITY;
  await engine.tell('c', { type: 'ADD', n: 1 });
  await new Promise((turn) => setImmediate(turn));
  expect(told).toEqual([1, 2, 3]);
  expect(fed).toEqual([1, 2, 3]);
});
