import { emit, setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';

/** What an errand is created with: the smallest job that a payment can order. */
export interface ErrandInput {
  readonly jobId: string;
  readonly paymentId: string;
  readonly goal: string;
}

const told = (type: string, facts: object) =>
  emit(({ context }: { context: ErrandInput }) => ({
    type: 'actor.send' as const,
    to: context.paymentId,
    event: { type, ...facts },
  }));

const errandMachine = setup({
  types: {} as { context: ErrandInput; input: ErrandInput },
  actions: {
    tellDone: told('WORK.DONE', {}) as never,
    tellFailed: told('WORK.FAILED', { reason: 'the errand failed' }) as never,
    tellCancelled: told('WORK.CANCELLED', { refundMicroUsd: '1500000' }) as never,
  },
}).createMachine({
  id: 'errand',
  context: ({ input }) => input,
  initial: 'running',
  states: {
    running: {
      on: {
        FINISH: { target: 'done', actions: 'tellDone' },
        FAIL: { target: 'failed', actions: 'tellFailed' },
        CANCEL: { target: 'cancelled', actions: 'tellCancelled' },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

/** A job for tests: it runs until it is told `FINISH`, `FAIL` or `CANCEL`. */
export const errand = define({ kind: 'errand', version: 1, machine: errandMachine, effects: {} });
