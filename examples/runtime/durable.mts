// An order that survives the end of its program. Run it twice: the second run finds it.
//   node durable.mjs

// [guide durable
import { durable } from '@stoa/runtime';
import { assign, fromPromise, setup } from 'xstate';

const ship = fromPromise<string, string>(async ({ input }) => `a parcel with a ${input}`);
const machine = setup({
  types: {} as { context: { item: string; parcel: string }; input: { item: string } },
  actors: { ship },
}).createMachine({
  context: ({ input }) => ({ item: input.item, parcel: '' }),
  initial: 'open',
  states: {
    open: { on: { PAY: 'shipping', CANCEL: 'over' } },
    shipping: {
      invoke: {
        src: 'ship',
        input: ({ context }) => context.item,
        onDone: { target: 'over', actions: assign({ parcel: ({ event }) => event.output }) },
      },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => context.parcel,
});

const app = await durable({ path: './data', actors: { order: machine } });
const o = await app.order.start('1', { item: 'lamp' });
if ((await o.query()).status === 'active') await o.send({ type: 'PAY' });
process.stdout.write(`${String(await o.result())}\n`);
await app.close();
// guide]
