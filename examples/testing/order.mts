// An order, and what may happen to it. The tests that are made from it are in check.mts.
import type { PathPlan } from '@stoa/runtime/testing';
import { assign, fromPromise, setup } from 'xstate';

/** An effect by name; whoever runs the machine says what it does. */
const named = <Out, In>() => fromPromise<Out, In>(() => Promise.reject(new Error('not run here')));

export const machine = setup({
  types: {} as {
    context: { item: string; receipt: string | null; gifts: number };
    input: { item: string };
    events: { type: 'CANCEL' } | { type: 'GIFT'; count: number };
  },
  actors: {
    pay: named<{ receipt: string }, { item: string }>(),
    deliver: named<null, { item: string }>(),
    refund: named<null, { receipt: string | null }>(),
  },
  guards: { isFew: ({ event }) => event.type === 'GIFT' && event.count <= 3 },
  delays: { payWindow: 30 * 60_000, retryAfter: 3_600_000 },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, receipt: null, gifts: 0 }),
  initial: 'paying',
  states: {
    paying: {
      on: {
        CANCEL: 'cancelled',
        GIFT: {
          guard: 'isFew',
          actions: assign({ gifts: ({ event }) => event.count }),
        },
      },
      after: { payWindow: 'cancelled' },
      invoke: {
        src: 'pay',
        id: 'pay',
        input: ({ context }) => ({ item: context.item }),
        onDone: {
          target: 'delivering',
          actions: assign({ receipt: ({ event }) => event.output.receipt }),
        },
        onError: 'declined',
      },
    },
    delivering: {
      invoke: {
        src: 'deliver',
        id: 'deliver',
        input: ({ context }) => ({ item: context.item }),
        onDone: 'delivered',
        onError: 'refunding',
      },
    },
    refunding: {
      invoke: {
        src: 'refund',
        id: 'refund',
        input: ({ context }) => ({ receipt: context.receipt }),
        onDone: 'refunded',
        onError: 'refund_due',
      },
    },
    refund_due: { after: { retryAfter: 'refunding' } },
    delivered: { type: 'final' },
    refunded: { type: 'final' },
    declined: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

// [guide plan
/** What the machine does not define: its input, event payloads and effect results. */
export const plan: PathPlan = {
  input: { item: 'lamp' },
  events: { GIFT: [{ count: 2 }, { count: 4 }] },
  effects: {
    pay: { done: [{ receipt: 'r-1' }], error: [{ name: 'Error', message: 'card declined' }] },
  },
};
// guide]
