import type { Redaction } from './redaction.ts';

/** How deliveries go is shown; the address that they go to, and its id, are their owner's. */
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
