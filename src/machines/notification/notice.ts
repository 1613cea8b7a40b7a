import { assign, enqueueActions, setup } from 'xstate';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import {
  createNoticeContext,
  failureOfEvent,
  type NoticeContext,
  type NoticeEvent,
  type NoticeInput,
  type NoticeReceipt,
} from './notice-context.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

type DeliveryInput = Pick<NoticeContext, 'key' | 'message'>;

const noticeSetup = setup({
  types: {} as {
    context: NoticeContext;
    input: NoticeInput;
    events: NoticeEvent;
    emitted: ActorSend;
  },
  actors: {
    send: declareEffect<DeliveryInput, NoticeReceipt>(),
    post: declareEffect<DeliveryInput, NoticeReceipt>(),
  },
  guards: { isForWebhook: ({ context }) => context.message.kind === 'webhook' },
  actions: {
    keepReceipt: assign({
      receipt: ({ event }) => ('output' in event ? event.output.receipt : null),
    }),
    keepFailure: assign({ failure: ({ event }) => failureOfEvent(event) }),
    answer: enqueueActions(({ context, enqueue }) => {
      const { answerTo, key, failure } = context;
      if (answerTo === null) return;
      const event = { type: 'DELIVERY.ENDED', key, isTaken: failure === null };
      enqueue.emit({ type: 'actor.send', to: answerTo, event });
    }),
  },
});

/**
 * The machine of one outgoing notification. The effect runner retries; the machine only learns the
 * result.
 */
export const noticeMachine = noticeSetup.createMachine({
  id: 'notice',
  context: createNoticeContext,
  initial: 'queued',
  states: {
    queued: {
      description: 'Created; its channel determines the delivery.',
      always: [{ guard: 'isForWebhook', target: 'posting' }, { target: 'sending' }],
    },
    sending: {
      description: 'Sends to the operator; retries with growing waits.',
      invoke: {
        src: 'send',
        id: 'send',
        input: deliveryInput,
        onDone: { target: 'sent', actions: ['keepReceipt', 'answer'] },
        onError: { target: 'failed', actions: ['keepFailure', 'answer'] },
      },
    },
    posting: {
      description: 'Posts to a webhook; retries with growing waits.',
      invoke: {
        src: 'post',
        id: 'post',
        input: deliveryInput,
        onDone: { target: 'sent', actions: ['keepReceipt', 'answer'] },
        onError: { target: 'failed', actions: ['keepFailure', 'answer'] },
      },
    },
    sent: {
      description: 'Accepted by the recipient.',
      type: 'final',
    },
    failed: {
      description: 'Given up after the last attempt, or at once if retrying is pointless.',
      type: 'final',
    },
  },
});

function deliveryInput({
  context: { key, message },
}: {
  readonly context: NoticeContext;
}): DeliveryInput {
  return { key, message };
}
