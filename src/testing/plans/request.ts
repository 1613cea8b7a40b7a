import type { BidRecord } from '../../domain/escrow/records.ts';
import type { RequestInput } from '../../machines/escrow/request-context.ts';
import type { PathPlan } from '../path.ts';
import { createJobInput } from './job.ts';

const BUYER = `0x${'a1'.repeat(20)}`;
const job = { ...createJobInput('on_release'), requestId: 'req_path' };
const bid: BidRecord = {
  bidId: 'bid_path',
  provider: job.provider,
  providerAgent: null,
  priceMicroUsd: '20000000',
  noteSha: 'e'.repeat(64),
  at: 1_700_000_000_000,
  isWithdrawn: false,
  sealed: null,
};

/** Path plan of a request, open to all or for one provider. */
export const requestPlan: PathPlan = {
  inputs: { open: createRequestInput(null), direct: createRequestInput(job.provider) },
  events: {
    'BID.PLACED': [{ bid }],
    'BID.WITHDRAWN': [{ bidId: bid.bidId }],
    'REQUEST.ASSIGNED': [
      { bidId: bid.bidId, attempt: 0, job },
      { bidId: null, attempt: 0, job },
    ],
    'JOB.BEGUN': [{ jobId: job.jobId }, { jobId: 'job_other' }],
    'JOB.UNFUNDED': [{ jobId: job.jobId }],
  },
  // The number of unfunded jobs is unbounded, so it is excluded.
  facets: ({ bids, assigned, isOver }) => ({ bids, assigned, isOver }),
};

/** Creates the input of a request machine. */
export function createRequestInput(provider: string | null): RequestInput {
  return {
    requestId: 'req_path',
    buyer: BUYER,
    capabilityId: 'translation.zh-en',
    taskSha: 'f'.repeat(64),
    budgetMicroUsd: '25000000',
    funding: 'on_release',
    provider,
    postedAt: 1_700_000_000_000,
    openMs: 3_600_000,
    fulfilByS: 1_700_086_400,
    src: null,
  };
}
