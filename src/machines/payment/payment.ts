import { assign, emit, enqueueActions, setup } from 'xstate';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { PaymentOrder, PaymentRecord } from '../../domain/payment/payment-record.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import type { OperatorNotice } from '../notification/notice-event.ts';
import {
  type CheckOutput,
  computeRefund,
  createPaymentContext,
  failureOf,
  type LookUpOutput,
  type ObservedOutcome,
  type PaymentEvent,
  paymentOutcomeOf,
  type RefundInput,
  readTransaction,
} from './payment-context.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** First and longest wait between checks of an unknown outcome, in milliseconds. */
export const LOOK_UP_WAIT_MS = { first: 2 * SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Wait before a failed refund is retried, in milliseconds. */
export const REFUND_RETRY_MS = HOUR_MS;

const paymentSetup = setup({
  types: {} as {
    context: PaymentRecord;
    input: PaymentOrder;
    events: PaymentEvent;
    emitted: ActorCreate | ActorSend | OperatorNotice;
  },
  actors: {
    check: declareEffect<Pick<PaymentRecord, 'payload'>, CheckOutput>(),
    settle: declareEffect<Pick<PaymentRecord, 'payload'>, ObservedOutcome>(),
    lookUp: declareEffect<Pick<PaymentRecord, 'payload'>, LookUpOutput>(),
    refund: declareEffect<RefundInput, ObservedOutcome>(),
  },
  guards: {
    isRefused: ({ event }) =>
      event.type === 'xstate.done.actor.check' && event.output.fault !== null,
    isUpfront: ({ context }) => context.flow === 'upfront',
    isSettled: ({ event }) => paymentOutcomeOf(event)?.state === 'settled',
    isSettledUpfront: ({ context, event }) =>
      paymentOutcomeOf(event)?.state === 'settled' && context.flow === 'upfront',
    isFailed: ({ event }) => paymentOutcomeOf(event)?.state === 'failed',
    isUnspent: ({ event }) => paymentOutcomeOf(event)?.state === 'unspent',
    isRefundOwed: ({ context, event }) => computeRefund(context, event) !== '0',
  },
  actions: {
    keepFault: assign({ fault: ({ event }) => failureOf(event) }),
    keepUnknown: assign({
      fault: ({ event }) => failureOf(event),
      transaction: ({ context, event }) => readTransaction(event) ?? context.transaction,
    }),
    keepSettlement: assign({
      fault: null,
      transaction: ({ event }) => readTransaction(event),
      settledAt: ({ event }) => paymentOutcomeOf(event)?.at ?? null,
    }),
    keepResult: assign({
      resultSha: ({ context, event }) =>
        'resultSha' in event ? (event.resultSha ?? null) : context.resultSha,
    }),
    countLookUp: assign({ lookUps: ({ context }) => context.lookUps + 1 }),
    oweRefund: assign({
      refundMicroUsd: ({ context, event }) => computeRefund(context, event),
      refundReason: ({ event }) => refundReasonOf(event),
    }),
    keepRefund: assign({
      fault: null,
      refundTransaction: ({ event }) => readTransaction(event),
    }),
    createJob: enqueueActions(({ context, enqueue }) => {
      if (context.job === null || context.jobId === null) return;
      const { kind, input } = context.job;
      enqueue.emit({ type: 'actor.create', to: context.jobId, kind, input });
    }),
    forgetJobInput: assign({ job: null }),
    callOperator: emit(({ context }) => ({
      type: 'operator.notice' as const,
      actor: context.paymentId,
      reason: `refund of ${context.refundMicroUsd} micro-dollars is due`,
    })),
  },
  delays: {
    lapse: ({ context }) => context.lapseMs,
    workLimit: ({ context }) => context.workMs,
    nextLookUp: ({ context }) =>
      Math.min(LOOK_UP_WAIT_MS.longest, LOOK_UP_WAIT_MS.first * 2 ** context.lookUps),
    refundRetry: REFUND_RETRY_MS,
  },
});

/**
 * The machine of one payment.
 *
 * `authorization`: the work runs while the payment is verified, and money moves only for a stored
 * result. `upfront`: money moves first, the job is created in the same commit, and undelivered work
 * is refunded on chain.
 */
export const paymentMachine = paymentSetup.createMachine({
  id: 'payment',
  context: createPaymentContext,
  initial: 'challenged',
  states: {
    challenged: {
      description: 'Checks the payment on the chain while its key is held.',
      tags: ['pending'],
      invoke: {
        src: 'check',
        id: 'check',
        input: payloadInput,
        onDone: [
          { guard: 'isRefused', target: 'refused', actions: 'keepFault' },
          { guard: 'isUpfront', target: 'settling' },
          { target: 'verified' },
        ],
        onError: { target: 'refused', actions: 'keepFault' },
      },
    },
    verified: {
      description: 'The payment is valid; the work runs and nothing is charged yet.',
      tags: ['pending', 'working'],
      on: {
        'WORK.DONE': { target: 'settling', actions: 'keepResult' },
        'WORK.FAILED': { target: 'released', actions: ['keepFault', 'keepResult'] },
      },
      after: { lapse: { target: 'released', actions: 'keepFault' } },
    },
    settling: {
      description: 'Spends the authorization on chain.',
      tags: ['pending'],
      invoke: {
        src: 'settle',
        id: 'settle',
        input: payloadInput,
        onDone: [
          { guard: 'isSettledUpfront', target: 'settled', actions: 'keepSettlement' },
          { guard: 'isSettled', target: 'closed', actions: 'keepSettlement' },
          { guard: 'isFailed', target: 'failed', actions: 'keepFault' },
          { target: 'unknown', actions: 'keepUnknown' },
        ],
        onError: { target: 'unknown', actions: 'keepUnknown' },
      },
    },
    unknown: {
      description: 'The outcome is unknown; checks the chain until it is known.',
      tags: ['pending', 'unknown'],
      initial: 'waiting',
      states: {
        waiting: {
          description: 'Waits between checks, with growing waits.',
          after: { nextLookUp: { target: 'asking', actions: 'countLookUp' } },
        },
        asking: {
          description: 'Checks the authorization on the chain.',
          invoke: {
            src: 'lookUp',
            id: 'lookUp',
            input: payloadInput,
            onDone: [
              { guard: 'isSettledUpfront', target: '#payment.settled', actions: 'keepSettlement' },
              { guard: 'isSettled', target: '#payment.closed', actions: 'keepSettlement' },
              { guard: 'isFailed', target: '#payment.failed', actions: 'keepFault' },
              { guard: 'isUnspent', target: '#payment.settling' },
              { target: 'waiting', actions: 'keepUnknown' },
            ],
            onError: { target: 'waiting', actions: 'keepUnknown' },
          },
        },
      },
    },
    settled: {
      description: 'Paid up front; the work runs.',
      tags: ['paid', 'working'],
      entry: ['createJob', 'forgetJobInput'],
      on: {
        'WORK.DONE': { target: 'closed', actions: 'keepResult' },
        'WORK.FAILED': { target: 'refunding', actions: ['oweRefund', 'keepResult'] },
        'WORK.CANCELLED': [
          { guard: 'isRefundOwed', target: 'refunding', actions: 'oweRefund' },
          { target: 'closed' },
        ],
      },
      after: { workLimit: { target: 'refunding', actions: 'oweRefund' } },
    },
    refunding: {
      description: 'Refunds the payer under one idempotency key.',
      tags: ['paid', 'refund'],
      invoke: {
        src: 'refund',
        id: 'refund',
        input: refundInput,
        onDone: [
          { guard: 'isSettled', target: 'refunded', actions: 'keepRefund' },
          { target: 'refund_due', actions: 'keepFault' },
        ],
        onError: { target: 'refund_due', actions: 'keepFault' },
      },
    },
    refund_due: {
      description: 'The refund failed; notifies the operator and retries.',
      tags: ['paid', 'refund', 'attention'],
      entry: 'callOperator',
      on: { 'REFUND.RETRY': { target: 'refunding' } },
      after: { refundRetry: { target: 'refunding' } },
    },
    closed: {
      description: 'Settled, and the work is done.',
      tags: ['paid'],
      type: 'final',
    },
    refunded: {
      description: 'Settled, and the refund is on chain.',
      tags: ['paid', 'refund'],
      type: 'final',
    },
    released: {
      description: 'The work returned no result in time; nothing was charged.',
      type: 'final',
    },
    failed: {
      description: 'The chain proves that nothing was or can be charged; the result is withheld.',
      type: 'final',
    },
    refused: {
      description: 'The payment failed the check; no work was done and nothing was charged.',
      type: 'final',
    },
  },
});

function payloadInput({ context }: { readonly context: PaymentRecord }) {
  return { payload: context.payload };
}

function refundInput({ context }: { readonly context: PaymentRecord }): RefundInput {
  return {
    paymentId: context.paymentId,
    to: context.payer,
    amount: context.refundMicroUsd,
  };
}

function refundReasonOf(event: PaymentEvent): string {
  if (event.type === 'WORK.FAILED') return event.reason;
  return event.type === 'WORK.CANCELLED' ? 'cancelled' : 'the work took too long';
}
