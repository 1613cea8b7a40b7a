import { assign, setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';

/** What a job is made with; by default it is delivered in time and disputed. */
export interface JobFacts {
  readonly deliveredAtS?: number | null;
  readonly fulfilByS?: number;
  readonly deliverableSha?: string | null;
  readonly heldSha?: string | null;
  /** When the dispute began; an escrow of version 1 refunds it seven days later. */
  readonly openedAtS?: number;
  readonly isRefundedByTime?: boolean;
  readonly state?: 'disputed' | 'released' | 'escrowed' | 'refunded';
}

/** Context of a job that keeps what it was told. */
export interface ToldJob {
  readonly told: readonly Record<string, unknown>[];
}

const SHA = 'd'.repeat(64);

interface Input extends JobFacts {
  /** Default `board_1`. */
  readonly jobId?: string;
  readonly buyer: string;
  readonly provider: string;
}

const machine = setup({
  types: {} as { input: Input; context: Record<string, unknown>; events: { type: string } },
  guards: {
    isDisputed: ({ context }) => context['start'] === 'disputed',
    isReleased: ({ context }) => context['start'] === 'released',
    isRefunded: ({ context }) => context['start'] === 'refunded',
  },
  actions: {
    note: assign({
      told: ({ context, event }) => [...(context['told'] as object[]), { ...event }],
      calls: ({ context, event }) => [
        ...(context['calls'] as string[]),
        ...('call' in event ? [String(event.call)] : []),
      ],
    }),
  },
}).createMachine({
  id: 'job',
  context: ({ input }) => ({
    jobId: input.jobId ?? 'board_1',
    buyer: input.buyer,
    provider: input.provider,
    funding: 'escrow',
    priceMicroUsd: '25000000',
    fulfilByS: input.fulfilByS ?? 2_000,
    deliveredAtS: input.deliveredAtS === undefined ? 1_000 : input.deliveredAtS,
    deliverableSha: input.deliverableSha === undefined ? SHA : input.deliverableSha,
    deliverable: { sha256: input.heldSha === undefined ? SHA : input.heldSha },
    dispute: {
      by: input.buyer,
      reason: 'bad work',
      openedAtS: input.openedAtS ?? 1_500,
      isRefundedByTime: input.isRefundedByTime ?? false,
    },
    decideMs: 7 * 86_400_000,
    payout: null,
    facts: [],
    told: [],
    calls: [],
    start: input.state ?? 'disputed',
  }),
  initial: 'escrowed',
  on: { '*': { actions: 'note' } },
  states: {
    escrowed: {
      always: [
        { guard: 'isDisputed', target: 'disputed' },
        { guard: 'isReleased', target: 'released' },
        { guard: 'isRefunded', target: 'refunded' },
      ],
    },
    disputed: {
      initial: 'waiting',
      states: {
        waiting: { on: { MOVE: 'moving' } },
        // As in the machine of a job: while a move is on its way nothing else is taken.
        moving: { on: { 'DISPUTE.DECIDED': { actions: [] }, REFUSED: 'waiting' } },
      },
      on: { SETTLE: 'released' },
    },
    released: {},
    refunded: {},
  },
});

/** A job of the board without a chain: it stands where it is put, and notes what it is told. */
export const jobDouble = define({ kind: 'job', version: 1, machine, effects: {} });
