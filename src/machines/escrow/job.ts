import type {
  AttemptInput,
  CollectInput,
  FundInput,
  JobContext,
  MoveInput,
  PayInput,
} from './job-context.ts';
import { createJobContext } from './job-context.ts';
import { jobSetup } from './job-setup.ts';
import { computeShares } from './job-updates.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 4;

/** Transitions on chain facts, whoever caused them. */
const onReleased = { target: '#job.released', actions: ['keepFact', 'keepPayout'] } as const;
const onRefunded = { target: '#job.refunded', actions: 'keepFact' } as const;
const onDelivered = {
  guard: 'isNewFact',
  target: '#job.fulfilled',
  actions: ['keepFact', 'keepDelivery', 'dropMove'],
} as const;
const onDisputed = {
  guard: 'isNewFact',
  target: '#job.disputed',
  actions: ['keepFact', 'keepDispute', 'dropMove'],
} as const;
const onResumed = {
  target: '#job.fulfilled',
  actions: ['keepFact', 'keepWindow', 'dropMove'],
} as const;
/** A party's signed move that is sent to the chain. */
const onRequested = { target: 'moving', actions: ['keepMove', 'keepCall'] } as const;
/** Sends a move. The chain accepts each move once, so repeats are safe. */
const sendMove = {
  src: 'move',
  id: 'move',
  input: moveInput,
  onDone: [
    { guard: 'isRefused', target: 'waiting', actions: ['keepError', 'answerMove', 'dropMove'] },
    { target: 'sent', actions: ['keepError', 'answerMove'] },
  ],
  onError: { target: 'sent', actions: 'keepError' },
} as const;

/** The states after a move or an attempt, until the chain reports its fact. */
const moveSent = {
  description: 'Waits for confirmation, then sends the move again.',
  after: { retryAfter: { target: 'moving' } },
} as const;
const attemptMade = {
  description: 'Waits for confirmation, then tries again.',
  after: { retryAfter: { target: 'trying' } },
} as const;

/**
 * The job machine (specification section 3). Timers and calls only attempt; states that involve
 * money are entered on confirmed chain facts.
 */
export const jobMachine = jobSetup.createMachine({
  id: 'job',
  context: createJobContext,
  initial: 'opened',
  states: {
    opened: {
      description: 'Created; its funding determines the next state.',
      always: [
        { guard: 'isEscrowFunded', target: 'funded' },
        { target: 'agreed', actions: 'tellBegun' },
      ],
    },
    funded: {
      description: 'The budget is being moved into escrow.',
      initial: 'trying',
      on: {
        'CHAIN.ESCROWED': { target: 'escrowed', actions: ['keepFact', 'tellBegun'] },
      },
      after: { fundingWindow: { target: 'unfunded', actions: 'tellUnfunded' } },
      states: {
        trying: {
          description: 'Attempts the transfer into escrow.',
          invoke: {
            src: 'fund',
            id: 'fund',
            input: fundInput,
            onDone: [
              {
                guard: 'isRefused',
                target: '#job.unfunded',
                actions: ['keepError', 'answerFund', 'tellUnfunded'],
              },
              { target: 'awaiting', actions: 'keepError' },
            ],
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: attemptMade,
      },
    },
    unfunded: {
      description: 'The budget did not reach the escrow; late money is returned at once.',
      tags: ['closed'],
      initial: 'sweeping',
      on: {
        'CHAIN.ESCROWED': { target: 'refunding', actions: ['keepFact', 'markLate'] },
      },
      states: {
        sweeping: {
          description: 'Finds and returns money that did not become a job.',
          invoke: {
            src: 'sweep',
            id: 'sweep',
            input: fundInput,
            onDone: [
              { guard: 'isOver', target: 'closed' },
              { target: 'awaiting', actions: 'keepError' },
            ],
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: {
          description: 'The authorization is still valid, or the chain did not respond.',
          after: { retryAfter: { target: 'sweeping' } },
        },
        closed: {
          description: 'No money of the buyer is held; ends when no more can arrive.',
          after: { lateWindow: { target: '#job.lapsed' } },
        },
      },
    },
    agreed: {
      description: 'Agreed with payment on release; the provider works and no money is held.',
      on: { 'WORK.DELIVERED': { target: 'fulfilled', actions: ['keepDelivery', 'keepCall'] } },
      after: { fulfilBy: { target: 'lapsed' } },
    },
    escrowed: {
      description: 'Funds are held in escrow; the provider works.',
      tags: ['held'],
      initial: 'waiting',
      on: {
        'CHAIN.FULFILLED': onDelivered,
        'CHAIN.RELEASED': onReleased,
        'CHAIN.REFUNDED': onRefunded,
      },
      after: { fulfilBy: { target: 'refunding' } },
      states: {
        waiting: {
          description: 'Waits for the deliverable, or for a move of a party.',
          on: {
            'WORK.DELIVERED': onRequested,
            'JOB.COMPLETED': onRequested,
            'JOB.GIVEN_BACK': onRequested,
          },
        },
        moving: { description: 'Sends a signed move to the chain.', invoke: sendMove },
        sent: moveSent,
      },
    },
    fulfilled: {
      description: 'Delivered with a release block; the release window runs.',
      tags: ['delivered'],
      initial: 'waiting',
      on: {
        'CHAIN.RELEASED': onReleased,
        'CHAIN.REFUNDED': onRefunded,
        'CHAIN.DISPUTED': onDisputed,
      },
      after: {
        releaseWindow: [
          { guard: 'isEscrowFunded', target: '.trying', actions: 'dropMove' },
          { target: 'expired_unreleased', actions: 'markLate' },
        ],
      },
      states: {
        waiting: {
          description: 'Waits for the completion call or the end of the window.',
          on: {
            'JOB.COMPLETED': [
              { guard: 'isEscrowFunded', ...onRequested },
              {
                guard: 'bringsPayment',
                target: '#job.collecting',
                actions: ['keepPayment', 'keepCall'],
              },
            ],
            'JOB.GIVEN_BACK': { guard: 'isEscrowFunded', ...onRequested },
            'DISPUTE.OPENED': { guard: 'mayDispute', ...onRequested },
          },
        },
        moving: { description: 'Sends a signed move to the chain.', invoke: sendMove },
        sent: moveSent,
        trying: {
          description: 'The window has ended; attempts the release.',
          invoke: {
            src: 'release',
            id: 'release',
            input: attemptInput,
            onDone: { target: 'awaiting', actions: 'keepError' },
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: attemptMade,
      },
    },
    collecting: {
      description: 'Settles the payment of the buyer for the release.',
      tags: ['delivered'],
      initial: 'settling',
      states: {
        settling: {
          description: 'Spends the authorization, which can be spent once.',
          invoke: {
            src: 'collect',
            id: 'collect',
            input: collectInput,
            onDone: [
              { guard: 'isSettled', target: '#job.paying', actions: 'keepCollected' },
              {
                guard: 'isFailedLate',
                target: '#job.expired_unreleased',
                actions: ['keepError', 'dropPayment'],
              },
              {
                guard: 'isFailed',
                target: '#job.fulfilled',
                actions: ['keepError', 'dropPayment'],
              },
              { target: 'asking', actions: 'keepError' },
            ],
            onError: { target: 'asking', actions: 'keepError' },
          },
        },
        asking: {
          description: 'The outcome is unknown; queries the chain again.',
          after: { askAgain: { target: 'settling' } },
        },
      },
    },
    paying: {
      description: "The buyer has paid; sends the provider's share exactly once.",
      tags: ['held', 'delivered'],
      initial: 'trying',
      states: {
        trying: {
          description: 'Attempts the transfer to the provider.',
          invoke: {
            src: 'pay',
            id: 'pay',
            input: payInput,
            onDone: [
              {
                guard: 'isSettled',
                target: '#job.released',
                actions: ['keepPaid', 'keepPayout', 'tellPayment'],
              },
              { target: 'awaiting', actions: 'keepError' },
            ],
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: {
          description: 'The transfer is not confirmed; tries again.',
          after: { retryAfter: { target: 'trying' } },
        },
      },
    },
    expired_unreleased: {
      description: 'Closed without release; the deliverable is kept and a late release still pays.',
      tags: ['closed', 'delivered'],
      on: {
        'JOB.COMPLETED': {
          guard: 'bringsPayment',
          target: 'collecting',
          actions: ['keepPayment', 'keepCall'],
        },
      },
      after: { lateWindow: { target: 'forgone' } },
    },
    disputed: {
      description: 'Frozen until a verdict or a concession; no timeout pays anyone.',
      tags: ['frozen', 'held', 'delivered'],
      initial: 'waiting',
      on: {
        'CHAIN.DISPUTE_WITHDRAWN': onResumed,
        'CHAIN.DECIDED': { guard: 'isNewFact', actions: ['keepFact', 'keepVerdict'] },
        'CHAIN.RELEASED': onReleased,
        'CHAIN.REFUNDED': onRefunded,
      },
      after: {
        disputeWindow: [
          // Only an escrow of version 1 refunds automatically.
          { guard: 'isRefundedByTime', target: 'refunding', actions: 'dropMove' },
          { actions: 'markUndecided' },
        ],
      },
      states: {
        waiting: {
          description: 'Waits for the verdict or a concession.',
          on: {
            'DISPUTE.WITHDRAWN': onRequested,
            'DISPUTE.DECIDED': onRequested,
            'JOB.COMPLETED': onRequested,
            'JOB.GIVEN_BACK': onRequested,
          },
        },
        moving: { description: 'Sends a move to the chain.', invoke: sendMove },
        sent: moveSent,
      },
    },
    refunding: {
      description: 'Refunds the buyer, unless the chain reports another state.',
      tags: ['held'],
      initial: 'trying',
      on: {
        'CHAIN.FULFILLED': onDelivered,
        'CHAIN.DISPUTED': onDisputed,
        'CHAIN.DISPUTE_WITHDRAWN': onResumed,
        'CHAIN.DECIDED': { guard: 'isNewFact', actions: ['keepFact', 'keepVerdict'] },
        'CHAIN.RELEASED': onReleased,
        'CHAIN.REFUNDED': onRefunded,
      },
      states: {
        trying: {
          description: 'Attempts the refund.',
          invoke: {
            src: 'refund',
            id: 'refund',
            input: attemptInput,
            onDone: { target: 'awaiting', actions: 'keepError' },
            onError: { target: 'awaiting', actions: 'keepError' },
          },
        },
        awaiting: {
          description: 'Waits for confirmation or the due time, then tries again.',
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
      description: 'The buyer is refunded.',
      tags: ['closed'],
      type: 'final',
    },
    lapsed: {
      description: 'Nothing was delivered in time, and no money was held.',
      tags: ['closed'],
      type: 'final',
    },
    forgone: {
      description: 'Delivered but never paid; the late release window has ended.',
      tags: ['closed', 'delivered'],
      type: 'final',
    },
  },
});

interface ContextArgs {
  readonly context: JobContext;
}

function attemptInput({ context: { jobId, escrowKey } }: ContextArgs): AttemptInput {
  return { jobId, escrowKey };
}

function fundInput({ context }: ContextArgs): FundInput {
  const { jobId, escrowKey, termsId, buyer, provider, priceMicroUsd, fulfilByS, fund } = context;
  return { jobId, escrowKey, termsId, buyer, provider, fulfilByS, fund, amount: priceMicroUsd };
}

function moveInput({ context: { jobId, escrowKey, pending } }: ContextArgs): MoveInput {
  return { jobId, escrowKey, move: pending?.move ?? null };
}

function collectInput({ context }: ContextArgs): CollectInput {
  const { jobId, src, payment } = context;
  return { jobId, src, payload: payment?.payload ?? null };
}

function payInput({ context }: ContextArgs): PayInput {
  return {
    jobId: context.jobId,
    to: context.provider,
    amount: computeShares(context).netMicroUsd,
  };
}
