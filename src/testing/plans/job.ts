import type { JobFunding, JobInput } from '../../machines/parts/job-facts.ts';
import type { EffectError } from '../../runtime/types.ts';
import type { PathPlan } from '../path.ts';

const BUYER = `0x${'a1'.repeat(20)}`;
const PROVIDER = `0x${'b2'.repeat(20)}`;
const SHA = 'c'.repeat(64);
const OTHER_SHA = 'd'.repeat(64);
const lost: EffectError = { name: 'AppError', code: 'CHAIN_UNAVAILABLE', message: 'no answer' };
const fact = { transaction: '0x03', block: 9, logIndex: 0 };
const ends = { done: [null], error: [lost] };

/** Everything that may happen to a job, in escrow and paid on release. */
export const jobPlan: PathPlan = {
  inputs: { escrow: jobInput('escrow'), on_release: jobInput('on_release') },
  effects: { fund: ends, release: ends, refund: ends },
  events: {
    'WORK.DELIVERED': [{ deliverableSha: SHA }],
    // The first one says the most: it is what paths take unless a guard wants another.
    'JOB.COMPLETED': [
      { paymentId: 'pay_1', deliverableSha: OTHER_SHA },
      { paymentId: 'pay_2' },
      { deliverableSha: OTHER_SHA },
      {},
    ],
    'DISPUTE.OPENED': [{ by: BUYER, reason: 'not as agreed' }],
    'DISPUTE.DECIDED': [{ upheld: 'provider' }, { upheld: 'buyer' }],
    'CHAIN.ESCROWED': [fact],
    'CHAIN.RELEASED': [fact],
    'CHAIN.REFUNDED': [fact],
    'CHAIN.REFUSED': [{ reason: 'reverted' }],
  },
};

/** A job as its machine is created with. */
export function jobInput(funding: JobFunding): JobInput {
  return {
    jobId: 'job_path',
    funding,
    buyer: BUYER,
    provider: PROVIDER,
    priceMicroUsd: '25000000',
    feeBps: 2000,
    fulfilMs: 86_400_000,
  };
}
