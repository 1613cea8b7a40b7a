// A shop with its inspector: npm install @stoa/runtime xstate lmdb
//
// Open the link that it prints: see the orders, travel through their journals, fork one, send
// events. One order waits, one has shipped, and one carrier fails, which you can retry.
import { durable } from '@stoa/runtime';
import { openInspector } from '@stoa/runtime/inspector';
import { assign, fromPromise, setup } from 'xstate';

interface Order {
  readonly item: string;
  readonly card: string;
}

const book = fromPromise<string, string>(async ({ input }) => {
  if (input === 'piano') throw new Error('no carrier takes a piano');
  return `parcel with a ${input}`;
});
const order = setup({
  types: {} as {
    context: Order & { readonly parcel: string };
    input: Order;
    events: { type: 'PAY'; amount: number } | { type: 'CANCEL' } | { type: 'RETURN'; days: number };
  },
  actors: { book },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ ...input, parcel: '' }),
  initial: 'open',
  states: {
    open: {
      on: { PAY: 'booking', CANCEL: 'canceled' },
      after: { 3600000: 'canceled' },
    },
    booking: {
      invoke: {
        src: 'book',
        input: ({ context }) => context.item,
        onDone: { target: 'shipped', actions: assign({ parcel: ({ event }) => event.output }) },
        onError: 'held',
      },
    },
    held: { on: { PAY: 'booking', CANCEL: 'canceled' } },
    shipped: {
      on: {
        RETURN: {
          target: 'returned',
          guard: ({ event }) => {
            if (event.days < 0) throw new RangeError(`a parcel cannot age ${event.days} days`);
            return event.days <= 30;
          },
        },
      },
    },
    returned: { type: 'final' },
    canceled: { type: 'final' },
  },
});

const app = await durable({ path: './shop', actors: { order } });
const lamp = await app.order.start('lamp', { item: 'lamp', card: '4242 4242 4242 4242' });
const piano = await app.order.start('piano', { item: 'piano', card: '4000 0000 0000 0002' });
await app.order.start('clock', { item: 'clock', card: '5555 5555 5555 4444' });
for (const each of [lamp, piano]) {
  if ((await each.query()).value === 'open') await each.send({ type: 'PAY', amount: 20 });
}
await lamp.waitFor(({ value }) => value === 'shipped');
// An event that makes its machine throw becomes a dead letter.
await lamp.send({ type: 'RETURN', days: -1 }).catch(() => undefined);

// [guide inspect
const inspector = await openInspector(app, { redact: ['**.card'] });
process.stdout.write(`${inspector.url}\n`);
// guide]
process.on('SIGINT', () => void app.close());
process.on('SIGTERM', () => void app.close());
