import type { Redaction } from './redaction.ts';

/** That something is being told is shown; what, and to whom, is not. */
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
