import { writeFileSync } from 'node:fs';
import { assign, fromPromise, setup } from 'xstate';

const order = setup({
  actors: {
    ship: fromPromise(async () => {
      const log = process.env['STOA_TEST_SHIP_LOG'];
      if (log !== undefined) writeFileSync(log, 'shipped');
      return 'parcel';
    }),
  },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, parcel: '' }),
  initial: 'open',
  states: {
    open: {
      on: {
        PAY: {
          target: 'shipping',
          guard: ({ event }) => {
            if (event.amount < 0) throw new RangeError('negative amount');
            return true;
          },
        },
        CANCEL: 'over',
      },
    },
    shipping: {
      invoke: {
        src: 'ship',
        onDone: { target: 'over', actions: assign({ parcel: ({ event }) => event.output }) },
      },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => context.parcel,
});

export const actors = { order };
