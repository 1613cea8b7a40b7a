import { expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { assign, fromPromise, raise, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { Definition, Effect, View } from '../../../src/runtime/engine/types.ts';
import { counter, hold, worker } from '../../support/actors.ts';
import { START } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** What users do inside their rules and with what they are handed never changes a stored actor. */
export const borderClaims: Claims = {
  'rules that give another answer each time are run once, and never again': async (world) => {
    let runs = 0;
    const dice = diceOf(() => {
      runs += 1;
      return runs;
    });
    const engine = await world.start([dice]);
    await engine.create('dice', 'd/1');
    await engine.tell('d/1', { type: 'THROW' });
    await engine.tell('d/1', { type: 'THROW' });
    const before = await engine.view('d/1');
    const earlier = await engine.view('d/1', 2);
    const wasRun = runs;
    world.crash();
    const next = await world.start([dice]);
    expect(await next.view('d/1')).toEqual(before);
    expect(await next.view('d/1', 2)).toEqual(earlier);
    const copy = await next.fork('d/1', 2);
    expect((await next.view(copy.id)).context).toEqual(earlier.context);
    await next.stop('d/1');
    await next.purge('d/1');
    expect(runs).toBe(wasRun);
  },

  'timers, effects and history of any row are those that it had': async (world) => {
    const engine = await world.start([hold, worker({ run: () => new Promise(() => undefined) })]);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    await engine.create('worker', 'w/1', { n: 7 });
    const views: View[] = [];
    const steps = ['PAUSE', 'GO', 'AGAIN'];
    for (const type of steps) {
      await engine.tell('h/1', { type });
      views.push(await engine.view('h/1'));
    }
    const works: View[] = [];
    for (const type of ['LEAVE', 'AGAIN']) {
      await engine.tell('w/1', { type });
      works.push(await engine.view('w/1'));
    }
    world.crash();
    const next = await world.start([hold, worker({ run: () => new Promise(() => undefined) })]);
    for (const view of views) expect(await next.view('h/1', view.seq)).toEqual(view);
    for (const view of works) expect(await next.view('w/1', view.seq)).toEqual(view);
  },

  'an actor is stopped and purged though its program is gone': async (world) => {
    const first = await world.start([counter, hold]);
    await first.create('counter', 'c/1');
    await first.tell('c/1', { type: 'ADD', n: 2 });
    await first.create('hold', 'h/1', { holdMs: 1_000 });
    await first.tell('h/1', { type: 'AGAIN' });
    world.crash();
    const next = await world.start([{ ...hold, version: 9 }], { strandedActors: 'report' });
    await expect(next.view('c/1')).rejects.toMatchObject({ code: 'ACTOR_KIND_UNKNOWN' });
    await expect(next.purge('c/1')).rejects.toMatchObject({ code: 'ACTOR_ACTIVE' });
    for (const id of ['c/1', 'h/1']) {
      expect(await next.stop(id)).toMatchObject({ seq: 3, status: 'stopped' });
      await next.purge(id);
      await expect(next.stop(id)).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    }
    expect((await next.list({})).rows).toEqual([]);
    await world.rest();
    expect(next.stats().nextDue).toBeUndefined();
  },

  'what callers, readers and effects change in place stays theirs': async (world) => {
    const seen: unknown[] = [];
    const cart = cartOf({
      run: async (order) => {
        (order as { total: number }).total = 99;
        return order;
      },
    });
    const engine = await world.start([cart]);
    engine.watch('cart/1', 1, ({ event, value }) => {
      seen.push(value);
      Object.assign(event, { type: 'OTHER' });
    });
    const items = [3, 1, 2];
    await engine.create('cart', 'cart/1', { items });
    items.push(9);
    const event = { type: 'PUT', items: [5] };
    const told = engine.tell('cart/1', event);
    event.items.push(6);
    await told;
    const view = await engine.view('cart/1');
    (view.context['items'] as number[]).sort((one, other) => one - other);
    Object.assign(view.timers, { length: 0 });
    await engine.tell('cart/1', { type: 'PRICE' });
    await world.rest();
    const last = await engine.view('cart/1');
    expect(last.context).toEqual({ items: [3, 1, 2, 5], order: { total: 1 }, said: { total: 99 } });
    expect(world.notices.every(({ kind }) => kind === 'listener_failed')).toBe(true);
    world.crash();
    const next = await world.start([cart]);
    expect(await next.view('cart/1')).toEqual(last);
    expect((await world.journal('cart/1')).map((row) => row.event.type)).not.toContain('OTHER');
  },

  'a rule that changes its context in place is poison, and nothing is lost': async (world) => {
    const engine = await world.start([cartOf({ run: async () => 1 })]);
    await engine.create('cart', 'cart/1', { items: [1] });
    await expect(engine.tell('cart/1', { type: 'SPOIL' })).rejects.toMatchObject({
      code: 'EVENT_POISON',
    });
    expect((await engine.view('cart/1')).context['items']).toEqual([1]);
    await engine.tell('cart/1', { type: 'PUT', items: [2] });
    world.crash();
    const next = await world.start([cartOf({ run: async () => 1 })]);
    expect((await next.view('cart/1')).context['items']).toEqual([1, 2]);
  },

  'what cannot be stored is refused at every door': async (world) => {
    const engine = await world.start([counter, hold], { queues: [{ name: 'q', concurrency: 1 }] });
    await engine.create('counter', 'c/1');
    const refused = { code: 'EVENT_INVALID' };
    const map = new Map([['a', Symbol('a')]]);
    await expect(engine.tell('c/1', { type: 'ADD', n: map })).rejects.toMatchObject(refused);
    await expect(engine.create('counter', 'c/2', { map })).rejects.toMatchObject(refused);
    await expect(engine.enqueue('q', 'counter', 'c/3', { map })).rejects.toMatchObject(refused);
    await expect(
      engine.schedule('s', { cron: '0 * * * *', kind: 'counter', input: { map } }),
    ).rejects.toMatchObject(refused);
    await expect(engine.complete('c/1:1:x', { ok: true, output: map })).rejects.toMatchObject(
      refused,
    );
    expect((await engine.list({})).rows).toHaveLength(1);
  },

  'an event that is raised later without an id is delivered as often as it was raised': async (
    world,
  ) => {
    const engine = await world.start([diary]);
    await engine.create('diary', 'd/1');
    for (const who of ['a', 'b', 'c']) await engine.tell('d/1', { type: 'BOOK', who });
    await engine.tell('d/1', { type: 'TWICE', who: 'd' });
    expect((await engine.view('d/1')).timers).toHaveLength(5);
    world.crash();
    const next = await world.start([diary]);
    await world.clock.advance(300);
    expect((await next.view('d/1')).context['got']).toEqual(['a', 'b', 'c', 'd', 'd']);
  },

  'timers that are due at one time fire in the order in which they were set': async (world) => {
    const engine = await world.start([diary]);
    await engine.create('diary', 'd/1');
    await engine.tell('d/1', { type: 'LATE', who: 'z' });
    await world.clock.advance(100);
    await engine.tell('d/1', { type: 'BOOK', who: 'b' });
    await engine.tell('d/1', { type: 'NAMED', who: 'a' });
    expect((await engine.view('d/1')).timers.map(({ due }) => due - START)).toEqual([
      400, 400, 400,
    ]);
    world.crash();
    await world.clock.advance(1_000);
    const next = await world.start([diary]);
    await world.clock.advance(0);
    expect((await next.view('d/1')).context['got']).toEqual(['z', 'b', 'a']);
  },

  'overdue timers of a kind that is gone hold up nobody and are reported once': async (world) => {
    const many = 600;
    const first = await world.start([hold, diary]);
    const ids = Array.from({ length: many }, (_, n) => `h/${n}`);
    await Promise.all(ids.map((id) => first.create('hold', id, { holdMs: 10 })));
    world.crash();
    await world.clock.advance(100);
    const next = await world.start([diary]);
    await next.create('diary', 'd/1');
    await next.tell('d/1', { type: 'BOOK', who: 'a' });
    await world.clock.advance(300);
    expect((await next.view('d/1')).context['got']).toEqual(['a']);
    expect(world.notices).toMatchObject([{ kind: 'actor_unloadable' }]);
    world.crash();
    await world.start([hold, diary]);
    await world.clock.advance(0);
    const { rows } = await world.engine.list({ kind: 'hold', state: 'released', limit: 1_000 });
    expect(rows).toHaveLength(many);
  },
};

function add(roll: () => number) {
  return assign(({ context }) => ({
    thrown: [...(context as { readonly thrown: readonly number[] }).thrown, roll()],
  }));
}

function diceOf(roll: () => number): Definition {
  return define({
    kind: 'dice',
    version: 1,
    machine: setup({ guards: { isLucky: () => roll() % 2 === 0 } }).createMachine({
      id: 'dice',
      context: () => ({ first: roll(), thrown: [] as number[] }),
      on: {
        THROW: [
          { guard: 'isLucky', actions: add(roll) as never },
          { actions: add(() => -roll()) as never },
        ],
      },
    }),
    effects: {},
  });
}

function cartOf(price: Effect<never>): Definition {
  const machine = setup({
    types: {} as { context: { items: number[]; order: { total: number }; said?: unknown } },
    actors: { price: fromPromise<unknown, unknown>(() => Promise.reject(new Error('run'))) },
  }).createMachine({
    id: 'cart',
    context: ({ input }) => ({
      items: (input as unknown as { items: number[] }).items,
      order: { total: 1 },
    }),
    initial: 'open',
    states: {
      open: {
        on: {
          PUT: {
            actions: assign(({ context, event }) => ({
              items: [...context.items, ...(event as unknown as { items: number[] }).items],
            })),
          },
          SPOIL: {
            actions: assign(({ context }) => {
              context.items.push(7);
              return { items: context.items };
            }),
          },
          PRICE: 'pricing',
        },
      },
      pricing: {
        invoke: {
          src: 'price',
          input: ({ context }: { context: { order: unknown } }) => context.order,
          onDone: { target: 'open', actions: assign({ said: ({ event }) => event.output }) },
          onError: 'open',
        },
      },
    },
  });
  const source = { kind: 'cart', version: 1, machine: machine as AnyStateMachine };
  return define({ ...source, effects: { price } as never });
}

/** Raises events later: without an id, twice at once, and with ids. */
const diary = define({
  kind: 'diary',
  version: 1,
  machine: setup({
    types: {} as { context: { got: unknown[] }; events: { type: string; who?: string } },
  }).createMachine({
    id: 'diary',
    context: { got: [] },
    on: {
      BOOK: { actions: raise(({ event }) => remind(event.who), { delay: 300 }) },
      TWICE: {
        actions: [
          raise(({ event }) => remind(event.who), { delay: 300 }),
          raise(({ event }) => remind(event.who), { delay: 300 }),
        ],
      },
      LATE: { actions: raise(({ event }) => remind(event.who), { delay: 400, id: 'z' }) },
      NAMED: { actions: raise(({ event }) => remind(event.who), { delay: 300, id: 'a' }) },
      REMIND: { actions: assign({ got: ({ context, event }) => [...context.got, event.who] }) },
    },
  }),
  effects: {},
});

function remind(who: string | undefined) {
  return { type: 'REMIND', who: who ?? '' };
}
