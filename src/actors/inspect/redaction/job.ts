import type { Redaction } from './redaction.ts';

const FACT = ['transaction', 'block', 'logIndex'] as const;

/** Money and its confirmed facts are shown; the deliverable and people's words are not. */
export const jobRedaction: Redaction = {
  kind: 'job',
  context: [
    'funding',
    'buyer',
    'provider',
    'priceMicroUsd',
    'feeBps',
    'fulfilMs',
    'facts.*.fact',
    'facts.*.transaction',
    'facts.*.block',
    'facts.*.logIndex',
    'dispute.by',
    'verdict',
    'paymentId',
    'isLate',
  ],
  // The job id is a capability: whoever holds it reads what was bought.
  hidden: ['jobId', 'deliverableSha', 'dispute.reason', 'lastError'],
  events: {
    'xstate.init': [
      'input.funding',
      'input.buyer',
      'input.provider',
      'input.priceMicroUsd',
      'input.feeBps',
      'input.fulfilMs',
    ],
    'JOB.COMPLETED': ['paymentId'],
    'DISPUTE.OPENED': ['by'],
    'DISPUTE.DECIDED': ['upheld'],
    'CHAIN.ESCROWED': FACT,
    'CHAIN.RELEASED': FACT,
    'CHAIN.REFUNDED': FACT,
  },
};
