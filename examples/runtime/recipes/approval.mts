// A person approves an expense, perhaps days later; a reminder goes out every day until then.
//   node approval.mjs
import { durable, LATER } from '@stoa/runtime';
import { assign, fromPromise, setup } from 'xstate';

const DAY_MS = 24 * 60 * 60 * 1000;
type Expense = { amount: number; by: string };
const machine = setup({
  types: {} as { context: Expense; input: { amount: number } },
  actors: {
    approve: fromPromise<{ by: string }, number>(() => Promise.reject(new Error('see effects'))),
  },
  actions: { remind: () => process.stdout.write('Please decide.\n') },
}).createMachine({
  context: ({ input }) => ({ amount: input.amount, by: '' }),
  initial: 'waiting',
  states: {
    waiting: {
      invoke: {
        src: 'approve',
        input: ({ context }) => context.amount,
        onDone: { target: 'approved', actions: assign({ by: ({ event }) => event.output.by }) },
        onError: 'refused',
      },
      initial: 'quiet',
      // The reminder does not leave `waiting`, so the question stays open.
      states: {
        quiet: { after: { [DAY_MS]: { target: 'quiet', reenter: true, actions: 'remind' } } },
      },
    },
    approved: { type: 'final' },
    refused: { type: 'final' },
  },
});

// [guide approval
const app = await durable({
  path: './data/approval',
  actors: {
    // The effect ends now, and its result comes later: from a web page, a mail, another program.
    expense: { machine, effects: { approve: { run: async () => LATER } } },
  },
});
const expense = await app.expense.start('expense/1', { amount: 120 });
const open = await expense.waitFor(({ effects }) => effects.length === 1);
const token = open.effects[0]?.token ?? '';

// What the page of the approver does:
await app.engine.complete(token, { ok: true, output: { by: 'Grace' } });
// guide]
await expense.result();
const { value, context } = await expense.query();
process.stdout.write(`${String(value)} by ${context.by}\n`);
await app.close();
