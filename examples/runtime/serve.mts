// An app behind HTTP, and its typed client: npm install @stoa/runtime xstate
import { durable } from '@stoa/runtime';
import { createClient } from '@stoa/runtime/client';
import { serve } from '@stoa/runtime/serve';
import { fromPromise, setup } from 'xstate';

const ship = fromPromise<string, string>(async ({ input }) => `a parcel with a ${input}`);
const machine = setup({
  types: {} as {
    context: { item: string };
    input: { item: string };
    events: { type: 'PAY' };
    output: string;
  },
  actors: { ship },
}).createMachine({
  context: ({ input }) => input,
  initial: 'open',
  states: {
    open: { on: { PAY: 'shipping' } },
    shipping: {
      invoke: { src: 'ship', input: ({ context }) => context.item, onDone: 'over' },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => `shipped: ${context.item}`,
});
const app = await durable({ actors: { order: machine } });

// [guide serve
const { url } = await serve(app, { schemas: { order: { input: { type: 'object' } } } });
// In any other process: `import type { app }` is all that it needs of the server.
const client = createClient<typeof app>({ url });
const order = await client.order.start('1', { item: 'lamp' });
await order.send({ type: 'PAY' }, { idempotencyKey: 'payment-1' });
process.stdout.write(`${String(await order.result())}\n`);
// guide]
await app.close();
