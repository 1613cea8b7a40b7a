import type { JobFunding, JobInput } from '../../machines/escrow/job-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';

const BUYER = `0x${'a1'.repeat(20)}`;
const PROVIDER = `0x${'b2'.repeat(20)}`;
const SHA = 'c'.repeat(64);
const chainError: EffectError = {
  name: 'AppError',
  code: 'CHAIN_UNAVAILABLE',
  message: 'no answer',
};
/** Creates a chain fact with its own transaction, because a job accepts each fact once. */
function createFact(at: number) {
  return { transaction: `0x0${at}`, block: at, logIndex: 0, atS: 1_700_000_000 + at };
}
const early = { state: 'early', waitMs: 60_000, message: 'too early' };
const ends = { done: [early, { state: 'done' }], error: [chainError] };
const refusal = { state: 'refused', code: 'MOVE_UNAVAILABLE', message: 'not now' };
const unknown = { state: 'unknown', message: 'no receipt' };
const answers = { done: [unknown, refusal, { state: 'done' }], error: [chainError] };
const transfers = {
  done: [
    { state: 'settled', transaction: '0x0a', block: 10, at: 1_700_000_010_000 },
    {
      state: 'failed',
      fault: { code: 'PAYMENT_FUNDS', message: 'no money' },
      at: 1_700_000_010_000,
    },
    { state: 'unknown', transaction: null, detail: 'no answer', at: 1_700_000_010_000 },
  ],
  error: [chainError],
};

const PAYMENT = {
  x402Version: 2,
  accepted: {
    scheme: 'exact',
    network: 'eip155:31337',
    amount: '25000000',
    asset: `0x${'c3'.repeat(20)}`,
    payTo: `0x${'c4'.repeat(20)}`,
    maxTimeoutSeconds: 300,
    extra: {},
  },
  payload: {
    signature: `0x${'e5'.repeat(65)}`,
    authorization: {
      from: BUYER,
      to: `0x${'c4'.repeat(20)}`,
      value: '25000000',
      validAfter: '0',
      validBefore: '1700000300',
      nonce: `0x${'d4'.repeat(32)}`,
    },
  },
};

/** Path plan of a job, in escrow and paid on release. */
export const jobPlan: PathPlan = {
  inputs: { escrow: createJobInput('escrow'), on_release: createJobInput('on_release') },
  effects: {
    fund: answers,
    move: answers,
    release: ends,
    refund: ends,
    sweep: { done: [{ state: 'done' }, { state: 'early', waitMs: 60_000 }], error: [chainError] },
    collect: transfers,
    pay: transfers,
  },
  events: {
    'WORK.DELIVERED': [{ deliverableSha: SHA, at: 1_700_000_000_000, call: 'c1' }],
    // Paths prefer the first payload unless a guard requires another, so the fullest one is first.
    'JOB.COMPLETED': [
      { payment: PAYMENT, paymentId: 'pay_1', call: 'c2' },
      { signature: '0x01', call: 'c2' },
    ],
    'JOB.GIVEN_BACK': [{ signature: '0x02', call: 'c3' }],
    'DISPUTE.OPENED': [{ by: BUYER, reason: 'not as agreed', reasonHash: `0x${SHA}`, call: 'c4' }],
    'DISPUTE.WITHDRAWN': [{ signature: '0x03', call: 'c5' }],
    'DISPUTE.DECIDED': [
      { upheld: 'provider', why: 'as agreed', verdictHash: `0x${SHA}`, call: 'c6' },
      { upheld: 'buyer', why: 'not as agreed', verdictHash: `0x${SHA}`, call: 'c6' },
    ],
    'CHAIN.ESCROWED': [createFact(1)],
    'CHAIN.FULFILLED': [
      {
        ...createFact(2),
        deliverable: `0x${SHA}`,
        releaseByS: 1_700_259_202,
        windowMs: 259_200_000,
      },
    ],
    'CHAIN.DISPUTED': [
      { ...createFact(3), reason: `0x${SHA}`, refundMs: null },
      { ...createFact(3), reason: `0x${SHA}`, refundMs: 604_800_000 },
    ],
    'CHAIN.DISPUTE_WITHDRAWN': [
      { ...createFact(4), releaseByS: 1_700_345_600, windowMs: 172_800_000 },
    ],
    'CHAIN.DECIDED': [{ ...createFact(5), isForProvider: true, verdict: `0x${SHA}` }],
    'CHAIN.RELEASED': [{ ...createFact(6), net: '20000000', fee: '5000000', isAutomatic: false }],
    'CHAIN.REFUNDED': [createFact(7)],
  },
};

/** Creates the input of a job machine. */
export function createJobInput(funding: JobFunding): JobInput {
  return {
    jobId: 'job_path',
    funding,
    buyer: BUYER,
    provider: PROVIDER,
    priceMicroUsd: '25000000',
    feeBps: 2000,
    fulfilMs: 86_400_000,
    fulfilByS: 1_700_086_400,
    requestId: null,
    bidId: null,
    termsId: funding === 'escrow' ? `0x${'e1'.repeat(32)}` : null,
    escrowKey: funding === 'escrow' ? `0x${'e2'.repeat(32)}` : null,
    fund: null,
    payer: null,
    src: null,
    openedAt: 1_700_000_000_000,
  };
}
