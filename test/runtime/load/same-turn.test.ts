import { afterEach, expect, test } from 'vitest';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { SyncEngineStore, Write } from '../../../src/runtime/engine/ports.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { counter } from '../../support/actors.ts';
import { tempDir } from '../../support/temp-dir.ts';

const dir = tempDir();
const store = openEngineStore({ path: dir.path });
const engines: ActorEngine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  await store.close();
  dir.remove();
});

/** Starts an engine with no actor in memory, and records the journal rows of each commit. */
async function start(commits: string[][]): Promise<ActorEngine> {
  const commit = (writes: readonly Write[]): Promise<void> => {
    commits.push(
      writes.flatMap((each) => ('put' in each && each.put === 'journal' ? [each.row.id] : [])),
    );
    return store.commit(writes);
  };
  const recorded: SyncEngineStore = new Proxy(store, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const queues = [{ name: 'q', concurrency: 1 }];
  const engine = await createEngine({
    store: recorded,
    clock: systemClock(),
    definitions: [counter],
    queues,
  });
  engines.push(engine);
  return engine;
}

test('a store that answers at once costs no turn: calls are decided in the turn they are made', async () => {
  const commits: string[][] = [];
  const first = await start(commits);
  await first.create('counter', 'a');
  await first.create('counter', 'b');
  await first.close();
  const engine = await start(commits);
  commits.length = 0;
  // Neither actor is in memory.
  const calls = [
    engine.tell('a', { type: 'ADD', n: 1 }),
    engine.tell('b', { type: 'ADD', n: 2 }, { idempotencyKey: 'k' }),
    engine.create('counter', 'c'),
    engine.enqueue('q', 'counter', 'd'),
    engine.stop('b'),
  ];
  expect(['a', 'b', 'c', 'd'].map((id) => engine.waiting(id))).toEqual([1, 2, 1, 1]);
  await Promise.all(calls);
  expect(commits).toEqual([['a', 'b', 'c', 'd', 'b']]);
});
