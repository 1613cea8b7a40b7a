import { expect } from 'vitest';
import type { AnyActorRef, AnyEventObject } from 'xstate';
import { assign, enqueueActions, fromPromise, sendParent, sendTo, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** A child machine: counts to a goal, tells its parent about each step, and returns its sum. */
const counting = setup({
  types: {} as {
    context: { sum: number; goal: number };
    input: { goal: number };
    events: { type: 'ADD'; n: number } | { type: 'FAIL' };
    output: { sum: number };
  },
}).createMachine({
  id: 'counting',
  context: ({ input }) => ({ sum: 0, goal: input.goal }),
  initial: 'open',
  states: {
    open: {
      on: {
        ADD: {
          actions: [
            assign({ sum: ({ context, event }) => context.sum + event.n }),
            sendParent(({ context }) => ({ type: 'STEP', sum: context.sum })),
          ],
        },
        FAIL: {
          actions: assign(() => {
            throw new Error('cannot count');
          }),
        },
      },
      always: { guard: ({ context }) => context.sum >= context.goal, target: 'full' },
    },
    full: { type: 'final' },
  },
  output: ({ context }) => ({ sum: context.sum }),
});

const parent = define({
  kind: 'parent',
  version: 1,
  machine: setup({
    types: {} as { context: { steps: number[]; result?: unknown; error?: unknown } },
    actors: { counting },
  }).createMachine({
    id: 'parent',
    context: { steps: [] },
    initial: 'idle',
    states: {
      idle: { on: { GO: 'busy' } },
      busy: {
        invoke: {
          id: 'count',
          src: 'counting',
          input: { goal: 3 },
          onDone: { target: 'idle', actions: assign({ result: ({ event }) => event.output }) },
          onError: { target: 'idle', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: {
          LEAVE: 'idle',
          AGAIN: { target: 'busy', reenter: true },
          END: 'end',
          ADD: {
            actions: sendTo('count', ({ event }) => ({ type: 'ADD', n: Number(event['n']) })),
          },
          FAIL: { actions: sendTo('count', { type: 'FAIL' }) },
          STEP: {
            actions: assign({
              steps: ({ context, event }) => [...context.steps, Number(event['sum'])],
            }),
          },
        },
      },
      end: { type: 'final' },
    },
  }),
});

/** A parent that spawns a child for each of many parts and joins their results. */
const fan = define({
  kind: 'fan',
  version: 1,
  machine: setup({
    types: {} as { context: { left: number; total: number }; input: { count: number } },
    actors: { square: squareMachine() },
  }).createMachine({
    id: 'fan',
    context: ({ input }) => ({ left: input.count, total: 0 }),
    initial: 'joining',
    states: {
      joining: {
        entry: enqueueActions(({ context, enqueue }) => {
          for (let n = 0; n < context.left; n += 1) {
            enqueue.spawnChild('square', { id: `part.${n}`, input: { n } });
          }
        }),
        on: {
          'xstate.done.actor.*': {
            actions: assign(({ context, event }) => ({
              left: context.left - 1,
              total: context.total + Number((event as { output?: unknown }).output),
            })),
          },
        },
        always: { guard: ({ context }) => context.left === 0, target: 'joined' },
      },
      joined: { type: 'final' },
    },
    output: ({ context }) => context.total,
  }),
});

function squareMachine() {
  return setup({
    types: {} as { context: { n: number }; input: { n: number }; output: number },
    actors: { compute: fromPromise<number, number>(async ({ input }) => input * input) },
  }).createMachine({
    context: ({ input }) => ({ n: input.n }),
    initial: 'on',
    states: {
      on: {
        invoke: {
          src: 'compute',
          input: ({ context }) => context.n,
          onDone: { target: 'off', actions: assign({ n: ({ event }) => event.output }) },
        },
      },
      off: { type: 'final' },
    },
    output: ({ context }) => context.n,
  });
}

/** A parent that keeps the reference of its child in its context. */
const keeper = define({
  kind: 'keeper',
  version: 1,
  machine: setup({
    types: {} as { context: { child: AnyActorRef; heard: string[] }; events: AnyEventObject },
    actors: { echo: echoMachine() },
  }).createMachine({
    id: 'keeper',
    context: ({ spawn }) => ({ child: spawn('echo', { id: 'echo' }), heard: [] }),
    on: {
      CALL: {
        actions: sendTo(
          ({ context }) => context.child,
          ({ self }) => ({ type: 'CALL', from: self }),
        ),
      },
      ANSWER: {
        actions: assign({
          heard: ({ context, event }) => [...context.heard, String(event['text'])],
        }),
      },
      STOP: {
        actions: enqueueActions(({ context, enqueue }) => enqueue.stopChild(context.child)),
      },
    },
  }),
});

/** Answers whoever calls. */
function echoMachine() {
  return setup({ types: {} as { events: { type: 'CALL'; from: AnyActorRef } } }).createMachine({
    on: {
      CALL: {
        actions: sendTo(({ event }) => event.from, { type: 'ANSWER', text: 'here' }),
      },
    },
  });
}

/** Machines that a machine invokes or spawns: durable actors of their own. */
export const childClaims: Claims = {
  'an invoked machine has rows of its own, gets events, and gives its result': async (world) => {
    const engine = await begin(world);
    expect(await engine.view('p/1/count')).toMatchObject({
      kind: 'parent.counting',
      value: 'open',
      context: { sum: 0, goal: 3 },
    });
    for (const n of [1, 2]) await engine.tell('p/1', { type: 'ADD', n });
    await world.rest();
    expect(await engine.view('p/1')).toMatchObject({
      value: 'idle',
      context: { steps: [1, 3], result: { sum: 3 } },
      effects: [],
    });
    expect(await engine.view('p/1/count')).toMatchObject({ status: 'done', output: { sum: 3 } });
    expect(world.store.outbox(10)).toEqual([]);
  },

  'a kill at any commit changes nothing of it': async (world) => {
    for (let after = 0; after < 14; after += 1) {
      const id = `p/${after}`;
      const engine = await world.start([parent]);
      world.crashAfterNextCommit(after);
      // A call that the end of the process cuts off never answers.
      const events = [{ type: 'GO' }, { type: 'ADD', n: 3 }];
      engine.create('parent', id).catch(() => undefined);
      for (const event of events) {
        await world.rest();
        engine.tell(id, event).catch(() => undefined);
      }
      await world.rest();
      await finish(world, id);
    }
  },

  'leaving the state stops the child, and its late result is stale': async (world) => {
    const engine = await begin(world);
    await engine.tell('p/1', { type: 'LEAVE' });
    await world.rest();
    expect((await engine.view('p/1/count')).status).toBe('stopped');
    expect(await engine.view('p/1')).toMatchObject({ value: 'idle', seq: 3, effects: [] });
  },

  'entering again starts the child anew, in the same journal with other tokens': async (world) => {
    const engine = await begin(world);
    await engine.tell('p/1', { type: 'ADD', n: 1 });
    await engine.tell('p/1', { type: 'AGAIN' });
    await world.rest();
    expect(await engine.view('p/1/count')).toMatchObject({ status: 'active', context: { sum: 0 } });
    const types = (await world.journal('p/1/count')).map(({ event }) => event.type);
    expect(types).toEqual(['xstate.init', 'ADD', 'xstate.stop', 'xstate.init']);
    world.crash();
    const next = await world.start([parent]);
    await next.tell('p/1', { type: 'ADD', n: 3 });
    await world.rest();
    expect(await next.view('p/1')).toMatchObject({
      value: 'idle',
      context: { result: { sum: 3 } },
    });
    expect((await next.view('p/1/count', 2)).context).toEqual({ sum: 1, goal: 3 });
  },

  'a child that throws ends with an error, which its parent gets': async (world) => {
    const engine = await begin(world);
    await engine.tell('p/1', { type: 'FAIL' });
    await world.clock.advance(60_000);
    const view = await engine.view('p/1');
    expect(view.value).toBe('idle');
    expect(view.context['error']).toMatchObject({
      message: expect.stringContaining('cannot count'),
    });
    expect((await engine.view('p/1/count')).status).toBe('error');
  },

  'a parent that ends or is stopped stops its children': async (world) => {
    const engine = await begin(world);
    await engine.tell('p/1', { type: 'END' });
    await world.rest();
    expect((await engine.view('p/1/count')).status).toBe('stopped');
    await engine.create('parent', 'p/2');
    await engine.tell('p/2', { type: 'GO' });
    await world.rest();
    await engine.stop('p/2');
    await world.rest();
    expect((await engine.view('p/2/count')).status).toBe('stopped');
  },

  'a child that an operator stops is an error for its parent': async (world) => {
    const engine = await begin(world);
    await engine.stop('p/1/count');
    await world.rest();
    expect(await engine.view('p/1')).toMatchObject({
      value: 'idle',
      context: { error: { code: 'CHILD_STOPPED' } },
    });
  },

  'a purge takes the children along': async (world) => {
    const engine = await begin(world);
    await engine.stop('p/1');
    await world.rest();
    await engine.purge('p/1');
    expect((await engine.list({ prefix: 'p/1' })).rows).toEqual([]);
  },

  'a fork has copies of the children, as they were at that row, and goes on alone': async (
    world,
  ) => {
    const engine = await begin(world);
    await engine.tell('p/1', { type: 'ADD', n: 1 });
    await world.rest();
    const { seq } = await engine.view('p/1');
    await engine.tell('p/1', { type: 'ADD', n: 1 });
    await world.rest();
    const { id } = await engine.fork('p/1', seq);
    expect((await engine.view(`${id}/count`)).context).toEqual({ sum: 1, goal: 3 });
    world.crash();
    const next = await world.start([parent]);
    await next.tell(id, { type: 'ADD', n: 2 });
    await world.rest();
    expect(await next.view(id)).toMatchObject({
      value: 'idle',
      context: { steps: [1, 3], result: { sum: 3 } },
      effects: [],
    });
    expect((await next.view('p/1/count')).context).toEqual({ sum: 2, goal: 3 });
    expect(await next.view('p/1')).toMatchObject({ value: 'busy', context: { steps: [1, 2] } });
    await next.stop(id);
    await world.rest();
    await next.purge(id);
    expect((await next.list({ prefix: id })).rows).toEqual([]);
  },

  'a fork of the row that starts a child starts it, and one of an ended child has its result':
    async (world) => {
      const engine = await begin(world);
      const started = await engine.fork('p/1', 2);
      await world.rest();
      expect((await engine.view(`${started.id}/count`)).context).toEqual({ sum: 0, goal: 3 });
      await engine.tell(started.id, { type: 'ADD', n: 3 });
      await world.rest();
      expect((await engine.view(started.id)).context['result']).toEqual({ sum: 3 });
      await engine.tell('p/1', { type: 'ADD', n: 3 });
      await world.rest();
      const rows = await world.journal('p/1');
      const last = rows.find(({ event }) => event.type === 'STEP')?.seq ?? 0;
      const ended = await engine.fork('p/1', last);
      await world.rest();
      expect(await engine.view(ended.id)).toMatchObject({
        value: 'idle',
        context: { result: { sum: 3 } },
      });
    },

  'the results of 1,000 children are joined': async (world) => {
    const engine = await world.start([fan]);
    await engine.create('fan', 'f', { count: 1_000 });
    await world.rest();
    await engine.waitFor('f', ({ status }) => status === 'done', { timeoutMs: 60_000 });
    const total = Array.from({ length: 1_000 }, (_, n) => n * n).reduce((sum, n) => sum + n, 0);
    expect((await engine.view('f')).output).toBe(total);
  },

  'a reference in the context reaches its child after a restart, and answers come back': async (
    world,
  ) => {
    const engine = await world.start([keeper]);
    await engine.create('keeper', 'k');
    await engine.tell('k', { type: 'CALL' });
    await world.rest();
    world.crash();
    const next = await world.start([keeper]);
    await next.tell('k', { type: 'CALL' });
    await world.rest();
    expect((await next.view('k')).context['heard']).toEqual(['here', 'here']);
    await next.tell('k', { type: 'STOP' });
    await world.rest();
    expect((await next.view('k/echo')).status).toBe('stopped');
  },
};

async function begin(world: EngineWorld) {
  const engine = await world.start([parent]);
  await engine.create('parent', 'p/1');
  await engine.tell('p/1', { type: 'GO' });
  await world.rest();
  return engine;
}

/** Brings a parent whose process ended somewhere to its result, and checks every row. */
async function finish(world: EngineWorld, id: string): Promise<void> {
  const engine = await world.start([parent]);
  await world.rest();
  await engine.create('parent', id);
  const { value, context } = await engine.view(id);
  if (context['result'] === undefined) {
    if (value === 'idle') await engine.tell(id, { type: 'GO' });
    await world.rest();
    const child = await engine.view(`${id}/count`);
    if (child.status === 'active') await engine.tell(id, { type: 'ADD', n: 3 });
    await world.rest();
  }
  expect(await engine.view(id)).toMatchObject({
    value: 'idle',
    context: { steps: [3], result: { sum: 3 } },
    effects: [],
  });
  expect(await engine.view(`${id}/count`)).toMatchObject({ status: 'done', context: { sum: 3 } });
  expect(world.store.outbox(10)).toEqual([]);
  world.crash();
}
