// A trip is booked as a saga: what was done is undone, in reverse order, when a later step fails.
//   node saga.mjs
import { durable } from '@stoa/runtime';
import { fromPromise, setup } from 'xstate';

type Trip = { traveler: string };
const step = () => fromPromise<string, Trip>(() => Promise.reject(new Error('see effects')));
const machine = setup({
  types: {} as { context: Trip; input: Trip; output: string },
  actors: { bookFlight: step(), bookHotel: step(), cancelFlight: step() },
}).createMachine({
  context: ({ input }) => input,
  // [guide saga
  initial: 'flight',
  states: {
    flight: {
      invoke: {
        src: 'bookFlight',
        input: ({ context }) => context,
        onDone: 'hotel',
        onError: 'refused',
      },
    },
    hotel: {
      invoke: {
        src: 'bookHotel',
        input: ({ context }) => context,
        onDone: 'booked',
        onError: 'undoing',
      },
    },
    undoing: {
      // It is retried until it succeeds, also after a restart, so a flight is never left behind.
      invoke: { src: 'cancelFlight', input: ({ context }) => context, onDone: 'refused' },
    },
    booked: { type: 'final' },
    refused: { type: 'final' },
  },
  // guide]
});

const log: string[] = [];
const app = await durable({
  path: './data/saga',
  actors: {
    trip: {
      machine,
      effects: {
        // Give the token to the other side as its idempotency key: a step can run twice.
        bookFlight: { run: async ({ traveler }, { token }) => `${traveler}: ${token}` },
        bookHotel: {
          run: async () => Promise.reject(Object.assign(new Error('full'), { code: 'FULL' })),
          retry: { FULL: false },
        },
        cancelFlight: {
          run: async ({ traveler }, { attempt }) => {
            if (attempt < 3) throw new Error('The airline does not answer.');
            log.push(`flight of ${traveler} canceled at attempt ${attempt}`);
            return 'canceled';
          },
          attempts: 1_000,
          backoff: () => 10,
        },
      },
    },
  },
});
const trip = await app.trip.start('trip/1', { traveler: 'Ada' });
await trip.result();
process.stdout.write(`${String((await trip.query()).value)}; ${log.join()}\n`);
await app.close();
