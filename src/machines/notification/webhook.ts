import { assign, enqueueActions, setup } from 'xstate';
import { DAY_MS } from '../../domain/common/time.ts';
import type { ActorCreate } from '../common/messages.ts';
import type { NoticeInput } from './notice-context.ts';
import {
  createDeliveryId,
  createWebhookContext,
  isAboutSubjects,
  isSubscribed,
  type WebhookActorEvent,
  type WebhookContext,
  type WebhookInput,
} from './webhook-context.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Retention of a removed webhook in milliseconds, longer than the life of any alert. */
export const REMOVED_RETENTION_MS = 100 * DAY_MS;

const webhookSetup = setup({
  types: {} as {
    context: WebhookContext;
    input: WebhookInput;
    events: WebhookActorEvent;
    emitted: ActorCreate;
  },
  guards: {
    isWanted: ({ context, event }) =>
      event.type === 'WEBHOOK.EVENT' && isSubscribed(context.events, event.event),
    isNewAndWanted: ({ context, event }) =>
      event.type === 'WEBHOOK.PUBLIC' &&
      event.seq >= context.seq &&
      isSubscribed(context.events, event.event) &&
      isAboutSubjects(context.about, event.subjects),
    isNew: ({ context, event }) => 'seq' in event && event.seq >= context.seq,
    isTaken: ({ event }) => event.type === 'DELIVERY.ENDED' && event.isTaken,
    isLastFailure: ({ context, event }) =>
      event.type === 'DELIVERY.ENDED' &&
      !event.isTaken &&
      context.failures + 1 >= context.failuresMax,
  },
  actions: {
    deliver: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'WEBHOOK.EVENT' && event.type !== 'WEBHOOK.PUBLIC') return;
      const { webhookId, url } = context;
      const deliveryId = createDeliveryId(webhookId, event.key);
      const { event: type, key, at, data } = event;
      const body = JSON.stringify({ event: type, key, at, data });
      const message = { kind: 'webhook', webhookId, url, event: type, deliveryId, body } as const;
      const input: NoticeInput = { key: deliveryId, message, answerTo: webhookId };
      enqueue.emit({ type: 'actor.create', to: deliveryId, kind: 'notice', input });
    }),
    count: assign({ told: ({ context }) => context.told + 1 }),
    pass: assign({
      seq: ({ context, event }) =>
        event.type === 'WEBHOOK.PUBLIC' ? event.seq + 1 : 'seq' in event ? event.seq : context.seq,
    }),
    keepTaken: assign({ taken: ({ context }) => context.taken + 1, failures: 0 }),
    keepFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    forgive: assign({ failures: 0 }),
  },
  delays: { forgotten: REMOVED_RETENTION_MS },
});

/** The machine of one webhook. Its position in the public feed advances with each event. */
export const webhookMachine = webhookSetup.createMachine({
  id: 'webhook',
  context: createWebhookContext,
  initial: 'active',
  states: {
    active: {
      description: 'Posts the events it is subscribed to.',
      on: {
        'WEBHOOK.EVENT': { guard: 'isWanted', actions: ['count', 'deliver'] },
        'WEBHOOK.PUBLIC': [
          { guard: 'isNewAndWanted', actions: ['count', 'deliver', 'pass'] },
          { guard: 'isNew', actions: 'pass' },
        ],
        'WEBHOOK.PASSED': { guard: 'isNew', actions: 'pass' },
        'DELIVERY.ENDED': [
          { guard: 'isTaken', actions: 'keepTaken' },
          { guard: 'isLastFailure', target: 'disabled', actions: 'keepFailure' },
          { actions: 'keepFailure' },
        ],
        'WEBHOOK.REMOVED': { target: 'removed' },
      },
    },
    disabled: {
      description: 'Too many deliveries failed; paused until its owner enables it.',
      on: {
        'WEBHOOK.ENABLED': { target: 'active', actions: ['forgive', 'pass'] },
        'DELIVERY.ENDED': { guard: 'isTaken', actions: 'keepTaken' },
        'WEBHOOK.REMOVED': { target: 'removed' },
      },
    },
    removed: {
      description: 'Removed by its owner; further events are ignored.',
      after: { forgotten: { target: 'gone' } },
    },
    gone: {
      description: 'Accepts no events any more.',
      type: 'final',
    },
  },
});
