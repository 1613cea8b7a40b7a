import type { PaymentFlow } from '../../domain/payment/payment.ts';
import type { PaymentOrder } from '../../domain/payment/payment-record.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';

const PAYER = `0x${'a1'.repeat(20)}`;
const TREASURY = `0x${'b2'.repeat(20)}`;
const PRICE_MICRO_USD = '10000';
const AT = 1_700_000_000_000;
const SHA = 'f'.repeat(64);

const settled = { state: 'settled', transaction: '0x01', block: 7, at: AT };
const unknown = { state: 'unknown', transaction: '0x02', detail: 'no receipt', at: AT };
const fault = { code: 'PAYMENT_FUNDS', message: 'too little' };
const failed = { state: 'failed', fault, at: AT };
const stillUnknown = { ...unknown, transaction: null, detail: 'no node' };
const unspent = { state: 'unspent', at: AT };
const chainError: EffectError = {
  name: 'AppError',
  code: 'CHAIN_UNAVAILABLE',
  message: 'no answer',
};

/** Path plan of a payment, in both flows. */
export const paymentPlan: PathPlan = {
  inputs: {
    authorization: createPaymentOrder('authorization'),
    upfront: createPaymentOrder('upfront'),
  },
  effects: {
    check: { done: [{ fault: null }, { fault }], error: [chainError] },
    settle: { done: [settled, failed, unknown], error: [chainError] },
    lookUp: { done: [settled, failed, unspent, stillUnknown], error: [chainError] },
    refund: { done: [settled, failed, unknown], error: [chainError] },
  },
  events: {
    'WORK.DONE': [{ resultSha: SHA }],
    'WORK.FAILED': [{ reason: 'no answer', resultSha: SHA }],
    'WORK.CANCELLED': [{ refundMicroUsd: '4000' }, { refundMicroUsd: '0' }],
  },
};

/** Creates the input of a payment machine. */
export function createPaymentOrder(flow: PaymentFlow): PaymentOrder {
  const accepted = {
    scheme: 'exact' as const,
    network: 'eip155:31337',
    amount: PRICE_MICRO_USD,
    asset: `0x${'c3'.repeat(20)}`,
    payTo: TREASURY,
    maxTimeoutSeconds: 300,
    extra: {},
  };
  const authorization = {
    from: PAYER,
    to: TREASURY,
    value: PRICE_MICRO_USD,
    validAfter: '0',
    validBefore: '1700000300',
    nonce: `0x${'d4'.repeat(32)}`,
  };
  const isUpfront = flow === 'upfront';
  return {
    paymentId: 'pay_path',
    flow,
    tool: isUpfront ? 'deliberation_multi-agent-debate' : 'ops_link-integrity',
    argsHash: 'a'.repeat(64),
    binding: 'b'.repeat(64),
    priceMicroUsd: PRICE_MICRO_USD,
    network: accepted.network,
    payer: PAYER,
    resourceUrl: 'mcp://tool/example',
    src: null,
    payload: {
      x402Version: 2,
      accepted,
      payload: { signature: `0x${'e5'.repeat(65)}`, authorization },
    },
    lapseMs: 300_000,
    workMs: 900_000,
    jobId: isUpfront ? 'job_path' : null,
    job: isUpfront ? { kind: 'debate', input: { jobId: 'job_path' } } : null,
  };
}
