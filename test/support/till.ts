import { assign, setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';

type WorkEvent =
  | { readonly type: 'WORK.DONE' }
  | { readonly type: 'WORK.FAILED'; readonly reason: string }
  | { readonly type: 'WORK.CANCELLED'; readonly refundMicroUsd: string };

const tillMachine = setup({
  types: {} as { context: { told: readonly WorkEvent[] }; events: WorkEvent },
  actions: { keep: assign({ told: ({ context, event }) => [...context.told, event] }) },
}).createMachine({
  id: 'till',
  context: { told: [] },
  on: { '*': { actions: 'keep' } },
});

/** Stands where a payment would and keeps everything that it is told. */
export const tillRecorder = define({ kind: 'till', version: 1, machine: tillMachine, effects: {} });
