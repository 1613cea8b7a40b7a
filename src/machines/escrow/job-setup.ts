import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { effect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type { SeenOutcome } from '../payment/payment-facts.ts';
import {
  answerOf,
  type CollectTry,
  type FundTry,
  factOf,
  isNewFact,
  type JobContext,
  type JobEvent,
  type JobInput,
  type JobTry,
  type MoveTry,
  type PayTry,
  type TryAnswer,
  transferOf,
  tryErrorOf,
} from './job-facts.ts';
import {
  callsAfter,
  deliveryOf,
  disputeOf,
  fundAnswerOf,
  moveAnswerOf,
  payAnswerOf,
  payoutOf,
  pendingOf,
  windowLeft,
} from './job-moves.ts';

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
    fund: effect<FundTry, TryAnswer>(),
    move: effect<MoveTry, TryAnswer>(),
    release: effect<JobTry, TryAnswer>(),
    refund: effect<JobTry, TryAnswer>(),
    sweep: effect<FundTry, TryAnswer>(),
    collect: effect<CollectTry, SeenOutcome>(),
    pay: effect<PayTry, SeenOutcome>(),
  },
  guards: {
    isEscrowFunded: ({ context }) => context.funding === 'escrow',
    isNewFact: ({ context, event }) => isNewFact(context, event),
    isRefused: ({ event }) => answerOf(event)?.state === 'refused',
    isOver: ({ event }) => ['done', 'refused'].includes(answerOf(event)?.state ?? ''),
    bringsPayment: ({ context, event }) =>
      context.funding === 'on_release' &&
      event.type === 'JOB.COMPLETED' &&
      event.payment !== undefined &&
      event.paymentId !== undefined,
    isRefundedByTime: ({ context }) => context.dispute?.isRefundedByTime === true,
    mayDispute: ({ context }) => context.funding === 'escrow' && context.dispute === null,
    isSettled: ({ event }) => transferOf(event)?.state === 'settled',
    isFailed: ({ event }) => transferOf(event)?.state === 'failed',
    isFailedLate: ({ context, event }) => transferOf(event)?.state === 'failed' && context.isLate,
  },
  actions: {
    keepFact: assign({
      facts: ({ context, event }) => {
        const fact = factOf(event);
        return fact === undefined ? context.facts : [...context.facts, fact];
      },
      lastError: null,
      waitMs: null,
    }),
    keepDelivery: assign(({ context, event }) => deliveryOf(context, event)),
    keepCall: assign({ calls: ({ context, event }) => callsAfter(context, event) }),
    keepMove: assign({
      pending: ({ event }) => pendingOf(event),
      deliverable: ({ context, event }) =>
        (event.type === 'WORK.DELIVERED' ? event.held : undefined) ?? context.deliverable,
    }),
    answerMove: assign({ lastMove: ({ context, event }) => moveAnswerOf(context, event) }),
    answerFund: assign({ lastMove: ({ event }) => fundAnswerOf(event) }),
    dropMove: assign({ pending: null }),
    keepWindow: assign({
      releaseByMs: ({ context, event }) =>
        'releaseByS' in event ? event.releaseByS * SECOND_MS : context.releaseByMs,
      windowMs: ({ context, event }) => ('windowMs' in event ? event.windowMs : context.windowMs),
    }),
    keepDispute: assign({
      dispute: ({ context, event }) => disputeOf(context, event),
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
      lastMove: ({ context, event }) => payAnswerOf(context, event),
      windowMs: ({ context, event }) => windowLeft(context, event),
      payment: null,
    }),
    keepCollected: assign({
      collected: ({ context, event }) => {
        const transfer = transferOf(event);
        return transfer?.state === 'settled'
          ? { transaction: transfer.transaction, at: transfer.at }
          : context.collected;
      },
      lastError: null,
    }),
    keepPaid: assign({
      facts: ({ context, event }) => {
        const transfer = transferOf(event);
        if (transfer?.state !== 'settled') return context.facts;
        const { transaction, block, at } = transfer;
        const atS = Math.floor(at / SECOND_MS);
        return [...context.facts, { fact: 'PAID', transaction, block, logIndex: 0, atS }];
      },
    }),
    keepPayout: assign({ payout: ({ context, event }) => payoutOf(context, event) }),
    keepError: assign({
      lastError: ({ event }) => tryErrorOf(event),
      waitMs: ({ event }) => answerOf(event)?.waitMs ?? null,
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
