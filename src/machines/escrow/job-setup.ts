import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type { ObservedOutcome } from '../payment/payment-context.ts';
import {
  type AttemptInput,
  type AttemptResult,
  attemptErrorOf,
  attemptResultOf,
  type CollectInput,
  type FundInput,
  isNewFact,
  type JobContext,
  type JobEvent,
  type JobInput,
  type MoveInput,
  type PayInput,
  readFact,
  transferOutcomeOf,
} from './job-context.ts';
import {
  appendCall,
  createPendingMove,
  fundingResultOf,
  moveResultOf,
  paymentResultOf,
  readDelivery,
  readDispute,
  readPayout,
  remainingWindow,
} from './job-updates.ts';

/** Time without a verdict after which the arbiter counts as silent, in milliseconds. */
export const DISPUTE_WINDOW_MS = 7 * DAY_MS;
/** Time limit for funding the escrow before the job ends, in milliseconds. */
export const FUNDING_WINDOW_MS = HOUR_MS;
/**
 * Wait for a confirmed fact, or after a failed attempt, before the next attempt, in milliseconds.
 */
export const RETRY_MS = 5 * MINUTE_MS;
/** Wait before the chain is queried again about a buyer's payment, in milliseconds. */
export const ASK_AGAIN_MS = 10 * SECOND_MS;
/**
 * How long a closed job accepts a late release or late money, in milliseconds. Longer than any
 * terms of the escrow, so that no money can arrive afterwards.
 */
export const LATE_WINDOW_MS = 400 * DAY_MS;

/** Guards, actions, delays and effects of the job machine. */
export const jobSetup = setup({
  types: {} as {
    context: JobContext;
    input: JobInput;
    events: JobEvent;
    emitted: ActorSend;
  },
  actors: {
    fund: declareEffect<FundInput, AttemptResult>(),
    move: declareEffect<MoveInput, AttemptResult>(),
    release: declareEffect<AttemptInput, AttemptResult>(),
    refund: declareEffect<AttemptInput, AttemptResult>(),
    sweep: declareEffect<FundInput, AttemptResult>(),
    collect: declareEffect<CollectInput, ObservedOutcome>(),
    pay: declareEffect<PayInput, ObservedOutcome>(),
  },
  guards: {
    isEscrowFunded: ({ context }) => context.funding === 'escrow',
    isNewFact: ({ context, event }) => isNewFact(context, event),
    isRefused: ({ event }) => attemptResultOf(event)?.state === 'refused',
    isOver: ({ event }) => ['done', 'refused'].includes(attemptResultOf(event)?.state ?? ''),
    bringsPayment: ({ context, event }) =>
      context.funding === 'on_release' &&
      event.type === 'JOB.COMPLETED' &&
      event.payment !== undefined &&
      event.paymentId !== undefined,
    isRefundedByTime: ({ context }) => context.dispute?.isRefundedByTime === true,
    mayDispute: ({ context }) => context.funding === 'escrow' && context.dispute === null,
    isSettled: ({ event }) => transferOutcomeOf(event)?.state === 'settled',
    isFailed: ({ event }) => transferOutcomeOf(event)?.state === 'failed',
    isFailedLate: ({ context, event }) =>
      transferOutcomeOf(event)?.state === 'failed' && context.isLate,
  },
  actions: {
    keepFact: assign({
      facts: ({ context, event }) => {
        const fact = readFact(event);
        return fact === undefined ? context.facts : [...context.facts, fact];
      },
      lastError: null,
      waitMs: null,
    }),
    keepDelivery: assign(({ context, event }) => readDelivery(context, event)),
    keepCall: assign({ calls: ({ context, event }) => appendCall(context, event) }),
    keepMove: assign({
      pending: ({ event }) => createPendingMove(event),
      deliverable: ({ context, event }) =>
        (event.type === 'WORK.DELIVERED' ? event.held : undefined) ?? context.deliverable,
    }),
    answerMove: assign({ lastMove: ({ context, event }) => moveResultOf(context, event) }),
    answerFund: assign({ lastMove: ({ event }) => fundingResultOf(event) }),
    dropMove: assign({ pending: null }),
    keepWindow: assign({
      releaseByMs: ({ context, event }) =>
        'releaseByS' in event ? event.releaseByS * SECOND_MS : context.releaseByMs,
      windowMs: ({ context, event }) => ('windowMs' in event ? event.windowMs : context.windowMs),
    }),
    keepDispute: assign({
      dispute: ({ context, event }) => readDispute(context, event),
      decideMs: ({ event }) =>
        (event.type === 'CHAIN.DISPUTED' ? event.refundMs : null) ?? DISPUTE_WINDOW_MS,
    }),
    keepVerdict: assign({
      verdict: ({ context, event }) => {
        if (event.type !== 'CHAIN.DECIDED') return context.verdict;
        return event.isForProvider ? 'provider' : 'buyer';
      },
      verdictWords: ({ context }) =>
        context.pending?.move.move === 'decide' ? context.pending.words : context.verdictWords,
    }),
    keepPayment: assign({
      payment: ({ context, event }) =>
        event.type === 'JOB.COMPLETED' && event.payment !== undefined
          ? {
              paymentId: event.paymentId ?? '',
              payload: event.payment,
              call: event.call ?? '',
            }
          : context.payment,
      payer: ({ context, event }) =>
        (event.type === 'JOB.COMPLETED' ? event.payer : undefined) ?? context.payer,
    }),
    dropPayment: assign({
      lastMove: ({ context, event }) => paymentResultOf(context, event),
      windowMs: ({ context, event }) => remainingWindow(context, event),
      payment: null,
    }),
    keepCollected: assign({
      collected: ({ context, event }) => {
        const transfer = transferOutcomeOf(event);
        return transfer?.state === 'settled'
          ? { transaction: transfer.transaction, at: transfer.at }
          : context.collected;
      },
      lastError: null,
    }),
    keepPaid: assign({
      facts: ({ context, event }) => {
        const transfer = transferOutcomeOf(event);
        if (transfer?.state !== 'settled') return context.facts;
        const { transaction, block, at } = transfer;
        const atS = Math.floor(at / SECOND_MS);
        return [...context.facts, { fact: 'PAID', transaction, block, logIndex: 0, atS }];
      },
    }),
    keepPayout: assign({ payout: ({ context, event }) => readPayout(context, event) }),
    keepError: assign({
      lastError: ({ event }) => attemptErrorOf(event),
      waitMs: ({ event }) => attemptResultOf(event)?.waitMs ?? null,
    }),
    tellPayment: enqueueActions(({ context: { payment }, enqueue }) => {
      if (payment === null) return;
      enqueue.emit({ type: 'actor.send', to: payment.paymentId, event: { type: 'WORK.DONE' } });
    }),
    markLate: assign({ isLate: true }),
    markUndecided: assign({ isUndecided: true }),
    tellBegun: enqueueActions(({ context, enqueue }) => {
      if (context.requestId === null) return;
      const event = { type: 'JOB.BEGUN', jobId: context.jobId };
      enqueue.emit({ type: 'actor.send', to: context.requestId, event });
    }),
    tellUnfunded: enqueueActions(({ context, enqueue }) => {
      if (context.requestId === null) return;
      const event = { type: 'JOB.UNFUNDED', jobId: context.jobId };
      enqueue.emit({ type: 'actor.send', to: context.requestId, event });
    }),
  },
  delays: {
    fulfilBy: ({ context }) => context.fulfilMs,
    releaseWindow: ({ context }) => context.windowMs,
    disputeWindow: ({ context }) => context.decideMs,
    fundingWindow: FUNDING_WINDOW_MS,
    retryAfter: ({ context }) => context.waitMs ?? RETRY_MS,
    askAgain: ASK_AGAIN_MS,
    lateWindow: LATE_WINDOW_MS,
  },
});
