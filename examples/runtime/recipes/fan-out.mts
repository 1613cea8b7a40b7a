// A parent starts one child for each part of its work and joins their results.
//   node fan-out.mjs
import { durable } from '@stoa/runtime';
import { assign, fromPromise, setup } from 'xstate';

const part = setup({
  types: {} as {
    context: { text: string; words: number };
    input: { text: string };
    output: number;
  },
  actors: {
    count: fromPromise<number, string>(async ({ input }) => input.split(' ').length),
  },
}).createMachine({
  context: ({ input }) => ({ text: input.text, words: 0 }),
  initial: 'counting',
  states: {
    counting: {
      invoke: {
        src: 'count',
        input: ({ context }) => context.text,
        onDone: { target: 'counted', actions: assign({ words: ({ event }) => event.output }) },
      },
    },
    counted: { type: 'final' },
  },
  output: ({ context }) => context.words,
});

// [guide fan-out
const machine = setup({
  types: {} as { context: { left: number; words: number }; input: { pages: string[] } },
  actors: { part },
}).createMachine({
  // Each child is an actor of its own, with its own rows, timers and effects.
  context: ({ input, spawn }) => {
    for (const [n, text] of input.pages.entries()) spawn('part', { id: `${n}`, input: { text } });
    return { left: input.pages.length, words: 0 };
  },
  initial: 'counting',
  states: {
    counting: {
      on: {
        // Each result arrives exactly once, also after a kill.
        'xstate.done.actor.*': {
          actions: assign(({ context, event }) => ({
            left: context.left - 1,
            words: context.words + Number((event as { output?: unknown }).output),
          })),
        },
      },
      always: { guard: ({ context }) => context.left === 0, target: 'counted' },
    },
    counted: { type: 'final' },
  },
  output: ({ context }) => context.words,
});
// guide]
const app = await durable({ path: './data/fan-out', actors: { book: machine } });
const pages = Array.from({ length: 100 }, (_, n) => `page ${n} of a long book`);
const book = await app.book.start('book/1', { pages });
process.stdout.write(`${String(await book.result())} words\n`);
await app.close();
