// The actor of the durable bench: two states and a small context, as a job or a payment has.
import { assign, setup } from 'xstate';
import { fromDist } from '../lib/dist.mjs';

const PARTY = `0x${'ab'.repeat(20)}`;

// Goes to the other state with every `FLIP` and counts them.
const flipMachine = setup({
  actions: { note: assign({ flips: ({ context }) => context.flips + 1 }) },
}).createMachine({
  id: 'flip',
  context: { flips: 0, priceMicroUsd: '250000', feeBps: 2000, payer: PARTY, payee: PARTY },
  initial: 'held',
  states: {
    held: { on: { FLIP: { target: 'released', actions: 'note' } } },
    released: { on: { FLIP: { target: 'held', actions: 'note' } } },
  },
});

/** The kind of the actor. */
export async function flipDefinition() {
  const { define } = await fromDist('runtime/engine/define.js');
  return define({ kind: 'flip', version: 1, machine: flipMachine, effects: {} });
}

/** The event that a caller sends, with a few facts as real ones carry. */
export function flipEvent(n) {
  return { type: 'FLIP', n, by: PARTY };
}
