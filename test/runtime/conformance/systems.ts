import { expect } from 'vitest';
import type { AnyActorRef } from 'xstate';
import { assign, fromCallback, sendTo, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

const heard: string[] = [];

/** Answers whoever has the name that it is told. */
const answering = setup({
  types: {} as { events: { type: 'PING'; to: string } | { type: 'LEAVE' } },
}).createMachine({
  initial: 'on',
  states: {
    on: {
      on: {
        PING: {
          guard: ({ event }) => event.to !== '',
          actions: sendTo(({ system, event }) => system.get(event.to) as AnyActorRef, {
            type: 'PONG',
          }),
        },
        LEAVE: 'off',
      },
    },
    off: { type: 'final' },
  },
});

/** Counts what it gets, and tells whether it sees a name. */
const counting = setup({
  types: {} as { context: { pongs: number; sees: string[] } },
  actors: {
    inner: fromCallback(({ receive }) => {
      receive(({ type }) => heard.push(type));
    }),
  },
}).createMachine({
  context: { pongs: 0, sees: [] },
  invoke: { src: 'inner', systemId: 'ear' },
  on: {
    PONG: { actions: assign({ pongs: ({ context }) => context.pongs + 1 }) },
    LOOK: {
      actions: assign({
        sees: ({ system }) => Object.keys((system as { getAll(): object }).getAll()).sort(),
      }),
    },
  },
});

const tree = define({
  kind: 'tree',
  version: 1,
  machine: setup({
    types: {} as { context: { refused: boolean; sees: unknown } },
    actors: { answering, counting },
  }).createMachine({
    id: 'tree',
    context: { refused: false, sees: undefined },
    initial: 'on',
    states: {
      on: {
        invoke: [
          { src: 'answering', id: 'a', systemId: 'answerer' },
          { src: 'counting', id: 'c', systemId: 'counter' },
        ],
        on: {
          ASK: {
            actions: sendTo(
              ({ system }) => system.get('answerer') as AnyActorRef,
              ({ event }) => ({
                type: 'PING',
                to: String(event['to']),
              }),
            ),
          },
          AGAIN: { target: 'on', reenter: true },
          TWICE: {
            actions: assign(({ spawn }) => {
              spawn('answering', { id: 'b', systemId: 'answerer' });
              return {};
            }),
          },
          SEE: {
            actions: assign({ sees: ({ system, event }) => system.get(String(event['name'])) }),
          },
          END_ANSWERER: { actions: sendTo('a', { type: 'LEAVE' }) },
          CLOSE: 'off',
        },
      },
      off: { type: 'final' },
    },
  }),
});

/** Names that are unique in the tree of a root actor. */
export const systemClaims: Claims = {
  'actors of a tree find each other by name, also after a kill': async (world) => {
    const engine = await begin(world);
    await engine.tell('t', { type: 'ASK', to: 'counter' });
    await world.rest();
    expect((await engine.view('t/c')).context['pongs']).toBe(1);
    world.crash();
    const next = await world.start([tree]);
    await next.tell('t', { type: 'ASK', to: 'counter' });
    await world.rest();
    expect((await next.view('t/c')).context['pongs']).toBe(2);
  },

  'a callback of another actor is found by its name': async (world) => {
    const engine = await begin(world);
    heard.length = 0;
    await engine.tell('t', { type: 'ASK', to: 'ear' });
    await world.rest();
    expect(heard).toEqual(['PONG']);
    expect((await engine.deadLetters()).rows).toEqual([]);
  },

  'a name that is taken is refused, and the state stays': async (world) => {
    const engine = await begin(world);
    const taken = engine.tell('t', { type: 'TWICE' });
    await expect(taken).rejects.toMatchObject({
      code: 'EVENT_POISON',
      message: expect.stringContaining("Actor with system ID 'answerer' already exists."),
    });
    expect((await world.journal('t')).map(({ entry }) => entry)).toEqual(['event', 'poison']);
    expect(names(world)).toEqual(['answerer', 'counter', 'ear']);
  },

  'a state that is entered again takes its names again, also those below its children': async (
    world,
  ) => {
    const engine = await begin(world);
    await engine.tell('t', { type: 'AGAIN' });
    await world.rest();
    expect(names(world)).toEqual(['answerer', 'counter', 'ear']);
    await engine.tell('t', { type: 'ASK', to: 'counter' });
    await world.rest();
    expect((await engine.view('t/c')).context['pongs']).toBe(1);
  },

  'the name of an actor that has ended is free, and its lookup is undefined': async (world) => {
    const engine = await begin(world);
    await engine.tell('t', { type: 'SEE', name: 'counter' });
    expect((await engine.view('t')).context['sees']).toEqual({ xstate$$type: 1, id: 'c' });
    await engine.tell('t', { type: 'SEE', name: 'ear' });
    expect((await engine.view('t')).context['sees']).toMatchObject({ xstate$$type: 1 });
    await engine.tell('t', { type: 'END_ANSWERER' });
    await world.rest();
    expect(names(world)).toEqual(['counter', 'ear']);
    await engine.tell('t/c', { type: 'LOOK' });
    expect((await engine.view('t/c')).context['sees']).toEqual(['counter', 'ear']);
    await engine.tell('t', { type: 'SEE', name: 'answerer' });
    expect((await engine.view('t')).context['sees']).toBeUndefined();
    await engine.tell('t', { type: 'TWICE' });
    expect(names(world)).toEqual(['answerer', 'counter', 'ear']);
  },

  'the end of the root frees all names, and two trees share none': async (world) => {
    const engine = await begin(world);
    await engine.create('tree', 'u');
    await world.rest();
    expect(names(world)).toEqual(['answerer', 'answerer', 'counter', 'counter', 'ear', 'ear']);
    await engine.tell('u', { type: 'CLOSE' });
    await engine.stop('t');
    await world.rest();
    expect(names(world)).toEqual([]);
  },

  'a kill at any commit leaves the same names': async (world) => {
    for (let after = 0; after < 8; after += 1) {
      const id = `k/${after}`;
      const engine = await world.start([tree]);
      world.crashAfterNextCommit(after);
      engine.create('tree', id).catch(() => undefined);
      await world.rest();
      engine.tell(id, { type: 'AGAIN' }).catch(() => undefined);
      await world.rest();
      world.crash();
      const next = await world.start([tree]);
      await next.create('tree', id);
      await world.rest();
      expect(names(world)).toEqual(['answerer', 'counter', 'ear']);
      await next.tell(id, { type: 'ASK', to: 'counter' });
      await world.rest();
      expect((await next.view(`${id}/c`)).context['pongs']).toBe(1);
      await next.stop(id);
      await world.rest();
      expect(names(world)).toEqual([]);
      world.crash();
    }
  },
};

async function begin(world: EngineWorld) {
  const engine = await world.start([tree]);
  await engine.create('tree', 't');
  await world.rest();
  return engine;
}

function names(world: EngineWorld): readonly string[] {
  return world.store
    .systemIds()
    .map(({ systemId }) => systemId)
    .sort();
}
