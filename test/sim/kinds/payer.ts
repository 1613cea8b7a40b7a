import { assign, setup } from 'xstate';
import { inert } from './acts.ts';

/** What a payer knows: `n` payments begun, and how each of those that are over ended. */
export interface Purse {
  readonly nonce: string;
  readonly n: number;
  readonly ends: Readonly<Record<string, 'paid' | 'void' | 'refunded'>>;
}

/** The key of the payment that a payer is at. */
export function payKey(purse: Purse): string {
  return `${purse.nonce}/${purse.n}`;
}

const end = (how: 'paid' | 'void' | 'refunded') =>
  assign(({ context }: { context: Purse }) => ({
    ends: { ...context.ends, [payKey(context)]: how },
  })) as never;

const toKey = ({ context }: { context: Purse }) => ({ key: payKey(context) });

/** Pays, and where it does not know whether it has paid it asks until it knows. */
export const payerMachine = setup({
  types: {} as { context: Purse; input: { readonly nonce: string } },
  actors: { pay: inert, look: inert, refund: inert },
  actions: {
    begin: assign(({ context }: { context: Purse }) => ({ n: context.n + 1 })) as never,
    paid: end('paid'),
    void: end('void'),
    refunded: end('refunded'),
  },
  guards: {
    hasPaid: ({ event }: { event: unknown }) =>
      (event as { output?: { paid?: boolean } }).output?.paid === true,
  } as never,
}).createMachine({
  id: 'payer',
  context: ({ input }: { input: { readonly nonce: string } }) => ({
    nonce: input.nonce,
    n: 0,
    ends: {},
  }),
  initial: 'idle',
  states: {
    idle: { on: { PAY: { target: 'paying', actions: 'begin' }, END: 'closed' } },
    paying: {
      invoke: {
        src: 'pay',
        id: 'pay',
        input: toKey,
        onDone: { target: 'paid', actions: 'paid' },
        onError: 'looking',
      },
      after: { 120000: 'looking' },
      on: { CANCEL: 'looking' },
    },
    looking: {
      invoke: {
        src: 'look',
        id: 'look',
        input: toKey,
        onDone: [
          { guard: 'hasPaid', target: 'paid', actions: 'paid' },
          { target: 'idle', actions: 'void' },
        ],
        onError: 'unsure',
      },
    },
    unsure: { after: { 60000: 'looking' } },
    paid: {
      on: { PAY: { target: 'paying', actions: 'begin' }, REFUND: 'refunding', END: 'closed' },
    },
    refunding: {
      invoke: {
        src: 'refund',
        id: 'refund',
        input: toKey,
        onDone: { target: 'idle', actions: 'refunded' },
        onError: 'owing',
      },
    },
    owing: { after: { 60000: 'refunding' } },
    closed: { type: 'final' },
  },
} as never);
