import fc from 'fast-check';
import { expect } from 'vitest';
import type { EngineWorld } from '../../support/engine-world.ts';
import { QUEUED_KINDS, waitingIds } from '../../support/queue-bench.ts';
import type { Claims } from './claims.ts';

const QUEUES = {
  queues: [{ name: 'q', concurrency: 2, perKey: { concurrency: 1 }, waitingMax: 100 }],
};
const IDS = ['x0', 'x1', 'y2', 'x3', 'z4', 'y5'];

/** Queues under crashes: none lost, none twice, no place leaked. */
export const queueCrashClaims: Claims = {
  'a process that dies before any of its commits loses none and starts none twice': async (
    world,
  ) => {
    for (let commit = 0; commit < 14; commit += 1) await survives(world, commit, 'before');
  },

  'a process that dies after any of its commits loses none and starts none twice': async (
    world,
  ) => {
    for (let commit = 0; commit < 14; commit += 1) await survives(world, commit, 'after');
  },

  'whatever is enqueued, ended and crashed, the limits hold and the order of a key stays': async (
    world,
  ) => {
    await playQueues(world, 5);
  },
};

/** Plays random stories of a queue, and shows the seed of one that fails. */
export async function playQueues(world: EngineWorld, runs: number): Promise<void> {
  let run = 0;
  const moves = fc.array(move, { minLength: 5, maxLength: 30 });
  const story = fc.asyncProperty(moves, async (each) => {
    run += 1;
    await plays(world, `r${run}`, each);
  });
  await fc.assert(story, { numRuns: runs });
}

type Move =
  | { readonly do: 'add'; readonly key: string; readonly priority: number }
  | { readonly do: 'end'; readonly nth: number }
  | { readonly do: 'take'; readonly nth: number }
  | { readonly do: 'crash'; readonly after: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key: fc.constantFrom('x', 'y', 'z'),
      priority: fc.constantFrom(0, 0, 1),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), nth: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take' as const), nth: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), after: fc.nat(2) }) },
);

/** Enqueues and ends everybody, with one death on the way, and looks what is left. */
async function survives(world: EngineWorld, commit: number, when: 'before' | 'after') {
  const name = (id: string) => `${when}${commit}/${id}`;
  await world.start(QUEUED_KINDS, QUEUES);
  if (when === 'before') world.crashBeforeNextCommit(commit);
  else world.crashAfterNextCommit(commit);
  work(world, name).catch(() => undefined);
  await world.rest();
  world.crash();
  await world.start(QUEUED_KINDS, QUEUES);
  await work(world, name);
  for (const id of IDS) {
    const rows = await world.journal(name(id));
    expect(rows.map(({ event }) => event.type)).toEqual(['xstate.init', 'CLOSE']);
  }
  expect(await waitingIds(world)).toEqual([]);
  expect(world.store.slots()).toEqual([]);
  world.crash();
}

/** What a caller does that never gives up: enqueue all, end whoever runs, until all are over. */
async function work(world: EngineWorld, name: (id: string) => string): Promise<void> {
  const { engine } = world;
  for (const id of IDS) {
    await engine.enqueue('q', 'counter', name(id), undefined, { key: id.slice(0, 1) });
  }
  for (let round = 0; round < 20; round += 1) {
    const { rows } = await engine.list({ kind: 'counter', status: 'active' });
    if (rows.length === 0) return;
    await Promise.all(rows.map(({ id }) => engine.tell(id, { type: 'CLOSE' })));
    await world.rest();
  }
  throw new Error('not all of them have ended within 20 rounds');
}

async function plays(world: EngineWorld, run: string, moves: readonly Move[]): Promise<void> {
  await world.start(QUEUED_KINDS, QUEUES);
  await clear(world);
  const added = new Map<string, { readonly key: string; readonly priority: number }>();
  const taken = new Set<string>();
  for (const [n, each] of moves.entries()) {
    switch (each.do) {
      case 'add': {
        const { key, priority } = each;
        await world.engine.enqueue('q', 'counter', `${run}/${n}`, {}, { key, priority });
        added.set(`${run}/${n}`, { key, priority });
        break;
      }
      case 'end':
        await endNth(world, each.nth);
        break;
      case 'take': {
        const ids = await waitingIds(world);
        const id = ids[each.nth % Math.max(1, ids.length)];
        if (id !== undefined && (await world.engine.dequeue('q', id))) taken.add(id);
        break;
      }
      case 'crash':
        world.crashBeforeNextCommit(each.after);
        endNth(world, 0).catch(() => undefined);
        await world.rest();
        world.crash();
        await world.start(QUEUED_KINDS, QUEUES);
    }
    await world.rest();
    await expectLimits(world);
  }
  while ((await running(world)).length > 0) {
    await endNth(world, 0);
    await expectLimits(world);
  }
  expect(await waitingIds(world)).toEqual([]);
  const { rows } = await world.engine.list({ kind: 'counter', limit: 1_000 });
  const ended = rows.map(({ id }) => id).filter((id) => added.has(id));
  expect(new Set([...ended, ...taken])).toEqual(new Set(added.keys()));
  expect(ended.filter((id) => taken.has(id))).toEqual([]);
  await clear(world);
  world.crash();
}

/** What a run that failed has left behind, while a shorter one is looked for. */
async function clear(world: EngineWorld): Promise<void> {
  for (const id of await waitingIds(world)) await world.engine.dequeue('q', id);
  for (const { id } of await running(world)) await world.engine.stop(id);
  const { rows } = await world.engine.list({ kind: 'counter', limit: 1_000 });
  for (const { id } of rows) await world.engine.purge(id);
}

async function expectLimits(world: EngineWorld): Promise<void> {
  const slots = world.store.slots();
  const runs = await running(world);
  expect(slots.map(({ id }) => id).sort()).toEqual(runs.map(({ id }) => id).sort());
  expect(runs.length).toBeLessThanOrEqual(2);
  expect(new Set(slots.map(({ key }) => key)).size).toBe(slots.length);
  // Nobody waits who could run: a place is free only where the keys that wait are full.
  const waiting = (await world.engine.queued('q')).rows;
  const full = new Set(slots.map(({ key }) => key));
  if (slots.length < 2) expect(waiting.filter(({ key }) => !full.has(key ?? ''))).toEqual([]);
}

async function running(world: EngineWorld) {
  return (await world.engine.list({ kind: 'counter', status: 'active' })).rows;
}

async function endNth(world: EngineWorld, nth: number): Promise<void> {
  const runs = await running(world);
  const { id } = runs[nth % Math.max(1, runs.length)] ?? {};
  if (id !== undefined) await world.engine.tell(id, { type: 'CLOSE' });
  await world.rest();
}
