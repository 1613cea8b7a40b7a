import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { EngineError } from '../../src/runtime/engine/error.ts';
import type { ActorEngine, Definition } from '../../src/runtime/engine/types.ts';
import { Chance } from '../sim/chance.ts';
import { contextMigration } from '../support/actors.ts';
import { EngineWorld } from '../support/engine-world.ts';
import { memoryShelf } from '../support/shelf.ts';
import { EVENTS, randomDefinition, randomMachine } from './random-machine.ts';

const EVOLUTIONS = 100;
const ACTORS = 6;
const SEED = Number(process.env['STOA_SEED'] ?? 20_261_130);

/** How a program goes on with the actors of the one before. */
const WAYS = ['same', 'changed', 'migrated', 'pinned', 'forgotten'] as const;
type Way = (typeof WAYS)[number];
/** What became of the actors. */
type Fate = 'safe' | 'migrated' | 'pinned' | 'refused';

function evolve(way: Way, before: Definition, machine: AnyStateMachine): Definition {
  const next = { ...randomDefinition(machine) };
  const same = contextMigration(1, (context) => context);
  switch (way) {
    case 'same':
      return before;
    case 'changed':
      return next;
    case 'migrated':
      return { ...next, version: 2, migrations: [same] };
    case 'pinned':
      return { ...next, version: 2, earlier: [before] };
    case 'forgotten':
      return { ...next, version: 2 };
  }
}

test('a changed machine continues its actors, migrates or pins them, or is refused: none is dead', {
  timeout: 300_000,
}, async () => {
  const fates = new Map<Fate, number>();
  for (let n = 0; n < EVOLUTIONS; n += 1) {
    const fate = await playEvolution(SEED + n, WAYS[n % WAYS.length] ?? 'same');
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
  }
  // Each fate is met, or the test would prove little.
  for (const fate of ['safe', 'migrated', 'pinned', 'refused'] as const) {
    expect(fates.get(fate) ?? 0, fate).toBeGreaterThan(5);
  }
});

async function playEvolution(seed: number, way: Way): Promise<Fate> {
  const chance = new Chance(seed);
  const world = new EngineWorld(memoryShelf());
  const before = randomDefinition(randomMachine(seed));
  const hint = `seed ${seed}, ${way}`;
  try {
    await sendSome(world, await world.start([before]), chance);
    world.crash();
    // Half of the changes leave the states as they are, and change what the events do.
    const changed = chance.isTrue(0.5) ? randomMachine(seed) : randomMachine(seed + 1_000);
    const next = evolve(way, before, changed);
    const engine = await world.start([next]).catch((error: unknown) => {
      expect(error, hint).toBeInstanceOf(EngineError);
      expect((error as EngineError).code, hint).toMatch(/MIGRATION_MISSING|REPLAY_VERSION_GONE/);
    });
    if (engine === undefined) {
      await expectAllAlive(world, await world.start([before]), hint);
      return 'refused';
    }
    await expectAllAlive(world, engine, hint);
    if (way === 'migrated' || way === 'pinned') return way;
    return 'safe';
  } finally {
    await world.end();
  }
}

async function sendSome(world: EngineWorld, engine: ActorEngine, chance: Chance): Promise<void> {
  for (let n = 0; n < ACTORS; n += 1) {
    await engine.create('m', `m/${n}`).catch(() => undefined);
    const count = chance.below(8);
    for (let each = 0; each < count; each += 1) {
      // A random machine may loop or end: its refusal is no matter here.
      await engine.tell(`m/${n}`, { type: chance.pick(EVENTS) }).catch(() => undefined);
    }
  }
  await world.clock.advance(chance.below(12));
}

/** Each actor can be read and gets events; one that is stuck waits for its repair. */
async function expectAllAlive(
  world: EngineWorld,
  engine: ActorEngine,
  hint: string,
): Promise<void> {
  await world.clock.advance(30);
  for (const { id } of (await engine.list({})).rows) {
    const { status } = await engine.view(id);
    if (status !== 'active') continue;
    for (const type of EVENTS) {
      const code = await engine.tell(id, { type }).then(
        () => 'OK',
        (error: EngineError) => error.code,
      );
      expect(code, `${hint}, ${id}`).toMatch(/^(OK|EVENT_POISON|ACTOR_CLOSED|ACTOR_STUCK)$/);
    }
    await engine.view(id);
    expect(world.notices.filter(({ kind }) => kind === 'actor_unloadable')).toEqual([]);
  }
}
