import type { Redaction } from './redaction.ts';

/** Shows the progress of deliveries. Hides the owner's URL and the webhook id. */
export const webhookRedaction: Redaction = {
  kind: 'webhook',
  context: ['events.*', 'seq', 'failuresMax', 'failures', 'told', 'taken'],
  hidden: ['webhookId', 'owner', 'url', 'about'],
  events: {
    'xstate.init': ['input.events.*', 'input.seq', 'input.failuresMax'],
    'WEBHOOK.EVENT': ['event', 'at'],
    'WEBHOOK.PUBLIC': ['event', 'at', 'seq'],
    'WEBHOOK.PASSED': ['seq'],
    'WEBHOOK.ENABLED': ['seq'],
    'DELIVERY.ENDED': ['isTaken'],
  },
};
