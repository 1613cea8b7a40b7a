import type { Redaction } from './redaction.ts';

const JOB = ['funding', 'buyer', 'provider', 'priceMicroUsd', 'feeBps', 'fulfilMs', 'fulfilByS'];

/** Shows a request, except its parties' texts and the sealed reserve prices of bids. */
export const requestRedaction: Redaction = {
  kind: 'request',
  context: [
    'requestId',
    'buyer',
    'capabilityId',
    'budgetMicroUsd',
    'funding',
    'provider',
    'postedAt',
    'openMs',
    'fulfilByS',
    'bids.*.bidId',
    'bids.*.provider',
    'bids.*.priceMicroUsd',
    'bids.*.at',
    'bids.*.isWithdrawn',
    'assigned.bidId',
    'assigned.jobId',
    'attempts',
    'isOver',
  ],
  hidden: ['taskSha', 'src', 'bids.*.providerAgent', 'bids.*.noteSha', 'bids.*.sealed'],
  events: {
    'xstate.init': [
      'input.requestId',
      'input.buyer',
      'input.capabilityId',
      'input.budgetMicroUsd',
      'input.funding',
      'input.provider',
      'input.postedAt',
      'input.openMs',
      'input.fulfilByS',
    ],
    'BID.PLACED': ['bid.bidId', 'bid.provider', 'bid.priceMicroUsd', 'bid.at'],
    'BID.WITHDRAWN': ['bidId'],
    'REQUEST.ASSIGNED': ['bidId', 'attempt', 'job.jobId', ...JOB.map((member) => `job.${member}`)],
    'JOB.BEGUN': ['jobId'],
    'JOB.UNFUNDED': ['jobId'],
  },
};
