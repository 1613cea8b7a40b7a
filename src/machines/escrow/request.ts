import { assign, enqueueActions, setup } from 'xstate';
import type { ActorCreate } from '../common/messages.ts';
import {
  createRequestContext,
  isOwnJob,
  mayAssign,
  mayPlaceBid,
  type RequestContext,
  type RequestEvent,
  type RequestInput,
} from './request-context.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

const requestSetup = setup({
  types: {} as {
    context: RequestContext;
    input: RequestInput;
    events: RequestEvent;
    emitted: ActorCreate;
  },
  guards: {
    mayPlace: ({ context, event }) => mayPlaceBid(context, event),
    mayAssign: ({ context, event }) => mayAssign(context, event),
    isClaimed: ({ context }) => context.assigned !== null,
    isOwnJob: ({ context, event }) => isOwnJob(context, event),
    isOwnJobOver: ({ context, event }) => isOwnJob(context, event) && context.isOver,
  },
  actions: {
    keepBid: assign({
      bids: ({ context, event }) =>
        event.type === 'BID.PLACED' ? [...context.bids, event.bid] : context.bids,
    }),
    withdrawBid: assign({
      bids: ({ context, event }) =>
        context.bids.map((bid) =>
          event.type === 'BID.WITHDRAWN' && bid.bidId === event.bidId
            ? { ...bid, isWithdrawn: true }
            : bid,
        ),
    }),
    keepAssignment: assign({
      assigned: ({ context, event }) =>
        event.type === 'REQUEST.ASSIGNED'
          ? { bidId: event.bidId, jobId: event.job.jobId }
          : context.assigned,
    }),
    createJob: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'REQUEST.ASSIGNED') return;
      const { job } = event;
      enqueue.emit({ type: 'actor.create', to: job.jobId, kind: 'job', input: job });
    }),
    dropAssignment: assign({
      assigned: null,
      attempts: ({ context }) => context.attempts + 1,
    }),
    markOver: assign({ isOver: true }),
  },
  delays: { openFor: ({ context }) => context.openMs },
});

/** The machine of a budgeted board request, until it becomes a job or ends without one. */
export const requestMachine = requestSetup.createMachine({
  id: 'request',
  context: createRequestContext,
  initial: 'listed',
  states: {
    listed: {
      description: 'On the board.',
      initial: 'open',
      after: {
        openFor: [{ guard: 'isClaimed', actions: 'markOver' }, { target: 'expired' }],
      },
      states: {
        open: {
          description: 'Accepts bids, or can be assigned to its only eligible provider.',
          on: {
            'BID.PLACED': { guard: 'mayPlace', actions: 'keepBid' },
            'BID.WITHDRAWN': { actions: 'withdrawBid' },
            'REQUEST.ASSIGNED': {
              guard: 'mayAssign',
              target: 'claimed',
              actions: ['keepAssignment', 'createJob'],
            },
            'REQUEST.WITHDRAWN': { target: '#request.withdrawn' },
          },
        },
        claimed: {
          description: 'A job was created; its funding is in progress.',
          on: {
            'JOB.BEGUN': { guard: 'isOwnJob', target: '#request.assigned' },
            'JOB.UNFUNDED': [
              {
                guard: 'isOwnJobOver',
                target: '#request.expired',
                actions: 'dropAssignment',
              },
              { guard: 'isOwnJob', target: 'open', actions: 'dropAssignment' },
            ],
          },
        },
      },
    },
    assigned: { description: 'A job was created.', type: 'final' },
    withdrawn: { description: 'Withdrawn by the buyer.', type: 'final' },
    expired: { description: 'Expired without a job.', type: 'final' },
  },
});
