import type { PathPlan } from '../path.ts';

const sha = (digit: string): string => digit.repeat(64);
const use = { at: 1_700_000_000_000, deliverableSha256: sha('d'), paymentId: 'pay_one' };

/** Path plan of a seal: correct, second, repeated and mismatched redemptions. */
export const sealPlan: PathPlan = {
  inputs: {
    sealed: {
      sealId: 'seal_path',
      paymentId: 'pay_path',
      deliverableSha256: sha('d'),
      agent: 'maker',
      agentId: null,
      wallet: null,
      capabilitySha: sha('c'),
      issuedAt: 1_700_000_000_000,
      lifeMs: 1_000_000,
    },
  },
  events: {
    'SEAL.REDEEMED': [
      use,
      { ...use, paymentId: 'pay_two' },
      { ...use, paymentId: 'pay_three', deliverableSha256: sha('e') },
    ],
  },
};
