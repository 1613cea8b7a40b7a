import { assign, setup } from 'xstate';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time.ts';
import { effect } from './parts/effect.ts';
import {
  factOf,
  type JobContext,
  type JobEvent,
  type JobInput,
  type JobTry,
  openedJob,
  tryErrorOf,
} from './parts/job-facts.ts';

/** Raised whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** The release window (specification section 8), in milliseconds. */
export const RELEASE_WINDOW_MS = 72 * HOUR_MS;
/** How long a dispute may stay without a verdict, in milliseconds. */
export const DISPUTE_WINDOW_MS = 7 * DAY_MS;
/** How long a budget may stay outside the escrow before the job ends, in milliseconds. */
export const FUNDING_WINDOW_MS = HOUR_MS;
/** Wait for a confirmed fact, or after a failed try, before the next try, in milliseconds. */
export const RETRY_MS = 5 * MINUTE_MS;

const jobSetup = setup({
  types: {} as { context: JobContext; input: JobInput; events: JobEvent },
  actors: {
    fund: effect<JobTry, unknown>(),
    release: effect<JobTry, unknown>(),
    refund: effect<JobTry, unknown>(),
  },
  guards: {
    isEscrowFunded: ({ context }) => context.funding === 'escrow',
    bringsDeliverable: ({ event }) =>
      event.type === 'JOB.COMPLETED' && event.deliverableSha !== undefined,
    mayRelease: ({ context, event }) =>
      context.funding === 'escrow' ||
      (event.type === 'JOB.COMPLETED' && event.paymentId !== undefined),
    isFirstDispute: ({ context }) => context.dispute === null,
    isForProvider: ({ event }) => event.type === 'DISPUTE.DECIDED' && event.upheld === 'provider',
    isForBuyerInEscrow: ({ context, event }) =>
      event.type === 'DISPUTE.DECIDED' && event.upheld === 'buyer' && context.funding === 'escrow',
    isForProviderInEscrow: ({ context, event }) =>
      event.type === 'DISPUTE.DECIDED' &&
      event.upheld === 'provider' &&
      context.funding === 'escrow',
  },
  actions: {
    keepFact: assign({
      facts: ({ context, event }) => {
        const fact = factOf(event);
        return fact === undefined ? context.facts : [...context.facts, fact];
      },
      lastError: null,
    }),
    keepDeliverable: assign({
      deliverableSha: ({ context, event }) =>
        ('deliverableSha' in event ? event.deliverableSha : undefined) ?? context.deliverableSha,
    }),
    keepPayment: assign({
      paymentId: ({ context, event }) =>
        ('paymentId' in event ? event.paymentId : undefined) ?? context.paymentId,
    }),
    keepDispute: assign({
      dispute: ({ context, event }) =>
        event.type === 'DISPUTE.OPENED' ? { by: event.by, reason: event.reason } : context.dispute,
    }),
    keepVerdict: assign({
      verdict: ({ context, event }) =>
        event.type === 'DISPUTE.DECIDED' ? event.upheld : context.verdict,
    }),
    keepError: assign({ lastError: ({ event }) => tryErrorOf(event) }),
    markLate: assign({ isLate: true }),
  },
  delays: {
    fulfilBy: ({ context }) => context.fulfilMs,
    releaseWindow: RELEASE_WINDOW_MS,
    disputeWindow: DISPUTE_WINDOW_MS,
    fundingWindow: FUNDING_WINDOW_MS,
    retryAfter: RETRY_MS,
  },
});

/**
 * One job (specification section 3). Timers and completion calls only try: the states that mean
 * money are entered on facts that the chain has confirmed.
 */
export const jobMachine = jobSetup.createMachine({
  id: 'job',
  context: openedJob,
  initial: 'opened',
  states: {
    opened: {
      description: 'Written down; its funding decides where it goes.',
      always: [{ guard: 'isEscrowFunded', target: 'funded' }, { target: 'agreed' }],
    },
    funded: {
      description: 'A budget was promised; it is being moved into escrow.',
      initial: 'trying',
      on: { 'CHAIN.ESCROWED': { target: 'escrowed', actions: 'keepFact' } },
      after: { fundingWindow: { target: 'unfunded' } },
      states: {
        trying: {
          description: 'The transfer into escrow is attempted.',
          invoke: {
            src: 'fund',
            id: 'fund',
            input: tryOf,
            onDone: { target: 'awaiting' },
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: {
          description: 'Waits for the confirmed fact, then tries again.',
          on: { 'CHAIN.REFUSED': { actions: 'keepError' } },
          after: { retryAfter: { target: 'trying' } },
        },
      },
    },
    unfunded: {
      description: 'The budget never reached the escrow; money that comes late goes straight back.',
      tags: ['closed'],
      on: { 'CHAIN.ESCROWED': { target: 'refunding', actions: 'keepFact' } },
    },
    agreed: {
      description: 'Agreed with payment on release; the provider works and nothing is held.',
      on: { 'WORK.DELIVERED': { target: 'fulfilled', actions: 'keepDeliverable' } },
      after: { fulfilBy: { target: 'lapsed' } },
    },
    escrowed: {
      description: 'Funds are held in escrow; the provider works.',
      tags: ['held'],
      on: {
        'WORK.DELIVERED': { target: 'fulfilled', actions: 'keepDeliverable' },
        'JOB.COMPLETED': {
          guard: 'bringsDeliverable',
          target: 'fulfilled.trying',
          actions: 'keepDeliverable',
        },
        'CHAIN.RELEASED': { target: 'released', actions: 'keepFact' },
        'CHAIN.REFUNDED': { target: 'refunded', actions: 'keepFact' },
      },
      after: { fulfilBy: { target: 'refunding' } },
    },
    fulfilled: {
      description: 'Delivered with a release block; the release window runs.',
      tags: ['delivered'],
      initial: 'waiting',
      on: {
        'CHAIN.RELEASED': { target: 'released', actions: 'keepFact' },
        'CHAIN.REFUNDED': { target: 'refunded', actions: 'keepFact' },
        'DISPUTE.OPENED': {
          guard: 'isFirstDispute',
          target: 'disputed',
          actions: 'keepDispute',
        },
      },
      after: {
        releaseWindow: [
          { guard: 'isEscrowFunded', target: '.trying' },
          { target: 'expired_unreleased' },
        ],
      },
      states: {
        waiting: {
          description: 'Waits for the completion call or the end of the window.',
          on: {
            'JOB.COMPLETED': { guard: 'mayRelease', target: 'trying', actions: 'keepPayment' },
          },
        },
        trying: {
          description: 'The release is attempted.',
          invoke: {
            src: 'release',
            id: 'release',
            input: tryOf,
            onDone: { target: 'awaiting' },
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: {
          description: 'Waits for the confirmed fact, then tries again.',
          on: {
            'JOB.COMPLETED': { guard: 'mayRelease', target: 'trying', actions: 'keepPayment' },
            'CHAIN.REFUSED': { actions: 'keepError' },
          },
          after: { retryAfter: { target: 'trying' } },
        },
      },
    },
    expired_unreleased: {
      description: 'Closed without release; the deliverable is kept and a late release still pays.',
      tags: ['closed', 'delivered'],
      initial: 'closed',
      on: {
        'CHAIN.RELEASED': { target: 'released', actions: ['keepFact', 'markLate'] },
      },
      states: {
        closed: {
          description: 'Nothing happens by itself any more.',
          on: {
            'JOB.COMPLETED': { guard: 'mayRelease', target: 'trying', actions: 'keepPayment' },
          },
        },
        trying: {
          description: 'A late release is attempted, once.',
          invoke: {
            src: 'release',
            id: 'release',
            input: tryOf,
            onDone: { target: 'closed' },
            onError: { target: 'closed', actions: 'keepError' },
          },
        },
      },
    },
    disputed: {
      description: 'Frozen: the release window stands still until a verdict or the own timeout.',
      tags: ['frozen', 'delivered'],
      on: {
        'DISPUTE.WITHDRAWN': { target: 'fulfilled' },
        'DISPUTE.DECIDED': [
          {
            guard: 'isForProviderInEscrow',
            target: 'fulfilled.trying',
            actions: 'keepVerdict',
          },
          { guard: 'isForBuyerInEscrow', target: 'refunding', actions: 'keepVerdict' },
          { guard: 'isForProvider', target: 'fulfilled', actions: 'keepVerdict' },
          { target: 'voided', actions: 'keepVerdict' },
        ],
        'CHAIN.RELEASED': { target: 'released', actions: 'keepFact' },
        'CHAIN.REFUNDED': { target: 'refunded', actions: 'keepFact' },
      },
      after: {
        disputeWindow: [{ guard: 'isEscrowFunded', target: 'refunding' }, { target: 'voided' }],
      },
    },
    refunding: {
      description: 'The held funds go back to the buyer.',
      tags: ['held'],
      initial: 'trying',
      on: {
        'CHAIN.REFUNDED': { target: 'refunded', actions: 'keepFact' },
        'CHAIN.RELEASED': { target: 'released', actions: 'keepFact' },
      },
      states: {
        trying: {
          description: 'The refund is attempted.',
          invoke: {
            src: 'refund',
            id: 'refund',
            input: tryOf,
            onDone: { target: 'awaiting' },
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: {
          description: 'Waits for the confirmed fact, then tries again.',
          on: { 'CHAIN.REFUSED': { actions: 'keepError' } },
          after: { retryAfter: { target: 'trying' } },
        },
      },
    },
    released: {
      description: 'The provider is paid.',
      tags: ['closed'],
      type: 'final',
    },
    refunded: {
      description: 'The buyer has the funds back.',
      tags: ['closed'],
      type: 'final',
    },
    lapsed: {
      description: 'Nothing was delivered in time and nothing was held.',
      tags: ['closed'],
      type: 'final',
    },
    voided: {
      description: 'A dispute ended without release, and nothing was held.',
      tags: ['closed'],
      type: 'final',
    },
  },
});

function tryOf({ context }: { readonly context: JobContext }): JobTry {
  return { jobId: context.jobId, funding: context.funding, paymentId: context.paymentId };
}
