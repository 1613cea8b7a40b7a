import { expect, expectTypeOf, test } from 'vitest';
import { assign, emit, fromPromise, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { View } from '../../../src/runtime/engine/types.ts';
import { durable } from '../../../src/store/durable/durable.ts';

// What must not compile stands behind an expectation of an error: the check of types sees to it.

const ship = fromPromise<{ readonly parcel: string }, { readonly item: string }>(() =>
  Promise.reject(new Error('not run')),
);
const orderMachine = setup({
  types: {} as {
    context: { readonly item: string; readonly parcel: string };
    input: { readonly item: string };
    events: { type: 'SHIP' } | { type: 'CANCEL'; why: string };
    emitted: { type: 'shipped'; parcel: string };
    output: { readonly parcel: string };
  },
  actors: { ship },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, parcel: '' }),
  initial: 'open',
  output: ({ context }) => ({ parcel: context.parcel }),
  states: {
    open: { on: { SHIP: 'shipping', CANCEL: 'canceled' } },
    shipping: {
      invoke: {
        src: 'ship',
        input: ({ context }) => ({ item: context.item }),
        onDone: {
          target: 'shipped',
          actions: [
            assign({ parcel: ({ event }) => event.output.parcel }),
            emit(({ event }) => ({ type: 'shipped' as const, parcel: event.output.parcel })),
          ],
        },
      },
    },
    shipped: { type: 'final' },
    canceled: { type: 'final' },
  },
});
const lampMachine = setup({
  types: {} as { context: { readonly on: boolean }; events: { type: 'TOGGLE' } },
}).createMachine({
  id: 'lamp',
  context: { on: false },
  on: { TOGGLE: { actions: assign({ on: ({ context }) => !context.on }) } },
});
const counted = define({ kind: 'counted', version: 3, machine: lampMachine, effects: {} });

const open = () =>
  durable({
    actors: {
      order: {
        machine: orderMachine,
        effects: { ship: { run: async ({ item }, { token }) => ({ parcel: item + token }) } },
      },
      lamp: lampMachine,
      counted,
    },
  });

test('inputs, events, views, outputs and emitted events are those of the machine', async () => {
  const app = await open();
  const o = await app.order.start('1', { item: 'lamp' });
  await o.send({ type: 'SHIP' });
  const out = await o.result();
  expectTypeOf(out).toEqualTypeOf<{ readonly parcel: string }>();
  const view = await o.query();
  expectTypeOf(view.context.item).toEqualTypeOf<string>();
  expectTypeOf(view.value).toEqualTypeOf<'open' | 'shipping' | 'shipped' | 'canceled'>();
  expectTypeOf(view.status).toEqualTypeOf<View['status']>();
  const seen: string[] = [];
  o.emitted((event) => {
    expectTypeOf(event).toEqualTypeOf<{ type: 'shipped'; parcel: string }>();
    seen.push(event.parcel);
  });
  await expect.poll(() => seen).toEqual([out.parcel]);
  const lamp = await app.lamp.start('l');
  expectTypeOf((await lamp.query()).context).toMatchTypeOf<{ readonly on: boolean }>();
  const third = await app.counted.start('c');
  expect(await third.query()).toMatchObject({ kind: 'counted', version: 3 });
  await app.close();
});

test('a wrong kind, input or event does not compile', async () => {
  const app = await open();
  // @ts-expect-error There is no kind `ordre`.
  expect(app.ordre).toBeUndefined();
  // @ts-expect-error An order needs an input.
  await expect(app.order.start('1')).rejects.toMatchObject({ code: 'EVENT_POISON' });
  // @ts-expect-error The item is a text.
  const o = await app.order.start('2', { item: 5 });
  // @ts-expect-error There is no event `SEND`.
  await o.send({ type: 'SEND' });
  // @ts-expect-error A cancellation has a reason.
  await o.send({ type: 'CANCEL' });
  // @ts-expect-error There is no state `lost`.
  await o.waitFor(({ value }) => value === 'lost' || value === 'canceled');
  // @ts-expect-error A queue takes the input of the machine.
  await expect(app.order.enqueue('q', '3', { thing: 1 })).rejects.toThrow('q');
  // @ts-expect-error So does a schedule.
  const wrong = app.order.schedule('daily', { cron: '@daily', input: { thing: 1 }, queue: 'q' });
  await expect(wrong).rejects.toMatchObject({ code: 'QUEUE_UNKNOWN' });
  await app.close();
});

test('a query is typed by the search attributes of its kind', async () => {
  const app = await durable({
    actors: { order: orderMachine, lamp: lampMachine },
    search: { order: { item: { type: 'string', of: ({ item }) => item } } },
  });
  await app.order.start('1', { item: 'lamp' });
  expect((await app.order.list({ where: { item: 'lamp' }, orderBy: 'item' })).rows).toHaveLength(1);
  // @ts-expect-error The item is a text.
  const wrong = app.order.list({ where: { item: 5 } });
  await expect(wrong).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  // @ts-expect-error There is no attribute `size`.
  await expect(app.order.list({ orderBy: 'size' })).rejects.toThrow('size');
  const mistyped = () =>
    durable({
      actors: { order: orderMachine },
      // @ts-expect-error A number does not come from a text.
      search: { order: { item: { type: 'number', of: ({ item }) => item } } },
    });
  expect(mistyped).toBeInstanceOf(Function);
  await app.close();
});

test('what an effect tells another kind is typed by that kind', async () => {
  const app = await durable({
    actors: {
      counted,
      order: {
        machine: orderMachine,
        effects: {
          ship: {
            run: async ({ item }, { tell }) => {
              await tell(counted, 'c', { type: 'TOGGLE' });
              // @ts-expect-error A lamp has no event `SHIP`.
              const wrong = tell(counted, 'nobody', { type: 'SHIP' });
              await expect(wrong).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
              return { parcel: item };
            },
          },
        },
      },
    },
  });
  const lamp = await app.counted.start('c');
  const o = await app.order.start('1', { item: 'lamp' });
  await o.send({ type: 'SHIP' });
  await o.result();
  expect((await lamp.query()).context).toEqual({ on: true });
  await app.close();
});

test('effects that a machine does not declare are refused, and promises need none', async () => {
  const run = async () => ({ parcel: '' });
  const misspelt = durable({
    actors: { order: { machine: orderMachine, effects: { ship: { run }, shipp: { run } } } },
  });
  await expect(misspelt).rejects.toThrow('shipp');
  // @ts-expect-error Every app has a member `engine`.
  const reserved = durable({ actors: { engine: lampMachine } });
  await expect(reserved).rejects.toThrow('engine is not allowed as the name of a kind');
  const app = await durable({ actors: { order: orderMachine } });
  await app.close();
});
