import type { Redaction } from './redaction.ts';

/** Shows that a message is being delivered. Hides its content and its recipient. */
export const noticeRedaction: Redaction = {
  kind: 'notice',
  context: ['message.kind', 'message.event', 'failure.code'],
  hidden: [
    'key',
    'answerTo',
    'message.title',
    'message.text',
    'message.webhookId',
    'message.url',
    'message.deliveryId',
    'message.body',
    'receipt',
    'failure.message',
  ],
  events: { 'xstate.init': ['input.message.kind', 'input.message.event'] },
};
