// Several buyers at once, first on the durable engine, then at a ticket office that was written by
// hand: it looks whether a seat is free, waits for its disk, and then sells the seat.
//   node clients.mjs
import {
  answerOfEngine,
  type ConcurrentDriver,
  concurrentEngineDriver,
  HistoryFailure,
  runConcurrently,
} from '@stoa/runtime/testing';
import { assign, setup } from 'xstate';

const say = (text: string) => process.stdout.write(`${text}\n`);

const machine = setup({
  types: {} as { context: { free: number }; events: { type: 'BUY' } },
  guards: { isFree: ({ context }) => context.free > 0 },
}).createMachine({
  id: 'seats',
  context: { free: 1 },
  initial: 'open',
  states: {
    open: {
      on: {
        BUY: { guard: 'isFree', actions: assign({ free: ({ context }) => context.free - 1 }) },
      },
    },
  },
});

// [guide clients
/** A ticket office with a fault: it checks, waits, and then sells. */
function officeDriver(): ConcurrentDriver {
  const answers = new Map<string, string>();
  let free = 1;
  let pause = async (): Promise<void> => undefined;
  return {
    start: async (start) => {
      pause = start.pause;
    },
    send: async ({ key }) => {
      const isFree = free > 0;
      await pause();
      const answer = answers.get(key) ?? (isFree ? 'sold' : 'sold out');
      if (answer === 'sold' && !answers.has(key)) free -= 1;
      answers.set(key, answer);
      return answer;
    },
    read: async () => ({ value: 'open', status: 'active', facets: { free } }),
    close: async () => undefined,
  };
}
// guide]

// [guide concurrent
const engine = () => concurrentEngineDriver({ machine });
const sum = await runConcurrently(machine, { driver: engine, answer: answerOfEngine, runs: 50 });
say(`the engine is linearizable in ${sum.runs} runs with ${sum.faults} faults`);
try {
  await runConcurrently(machine, {
    driver: officeDriver,
    answer: ({ isTaken }) => (isTaken ? 'sold' : 'sold out'),
  });
} catch (thrown) {
  if (!(thrown instanceof HistoryFailure)) throw thrown;
  say(thrown.message);
}
// guide]
