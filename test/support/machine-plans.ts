import type { PaymentFlow } from '../../src/domain/payment.ts';
import type { PaymentOrder } from '../../src/domain/payment-record.ts';
import type { JobFunding, JobInput } from '../../src/machines/parts/job-facts.ts';
import type { Ev } from '../../src/runtime/types.ts';
import type { PathPlan } from './machine-paths.ts';

const ADDRESS = { payer: `0x${'a1'.repeat(20)}`, treasury: `0x${'b2'.repeat(20)}` };
const AT = 1_700_000_000_000;
const ERROR = { name: 'AppError', code: 'CHAIN_UNAVAILABLE', message: 'no answer' };

const settled = { state: 'settled', transaction: '0x01', block: 7, at: AT };
const unknown = { state: 'unknown', transaction: '0x02', detail: 'no receipt', at: AT };
const failed = {
  state: 'failed',
  fault: { code: 'PAYMENT_FUNDS', message: 'too little' },
  at: AT,
};
const unspent = { state: 'unspent', at: AT };

/** A payment as its machine is created with. */
export function paymentOrder(overrides: Partial<PaymentOrder> = {}): PaymentOrder {
  const accepted = {
    scheme: 'exact' as const,
    network: 'eip155:31337',
    amount: '10000',
    asset: `0x${'c3'.repeat(20)}`,
    payTo: ADDRESS.treasury,
    maxTimeoutSeconds: 300,
    extra: {},
  };
  const authorization = {
    from: ADDRESS.payer,
    to: ADDRESS.treasury,
    value: '10000',
    validAfter: '0',
    validBefore: '1700000300',
    nonce: `0x${'d4'.repeat(32)}`,
  };
  return {
    paymentId: 'pay_path',
    flow: 'authorization',
    tool: 'ops_link-integrity',
    argsHash: 'a'.repeat(64),
    binding: 'b'.repeat(64),
    priceMicroUsd: '10000',
    network: accepted.network,
    payer: ADDRESS.payer,
    resourceUrl: 'mcp://tool/ops_link-integrity',
    src: null,
    payload: {
      x402Version: 2,
      accepted,
      payload: { signature: `0x${'e5'.repeat(65)}`, authorization },
    },
    lapseMs: 300_000,
    workMs: 900_000,
    jobId: null,
    job: null,
    ...overrides,
  };
}

/** Everything that may happen to a payment. */
export function paymentPlan(flow: PaymentFlow, kind: PathPlan['kind']): PathPlan {
  const { sha, micro } = { sha: 'f'.repeat(64), micro: '4000' };
  return {
    kind,
    input: paymentOrder({ flow }),
    variants: {
      ...ends('check', { fault: null }, { fault: failed.fault }),
      ...ends('settle', settled, failed, unknown),
      ...ends('lookUp', settled, failed, unspent, unknown),
      ...ends('refund', settled, failed),
      'WORK.DONE': [{ type: 'WORK.DONE', resultSha: sha }],
      'WORK.FAILED': [{ type: 'WORK.FAILED', reason: 'no answer', resultSha: sha }],
      'WORK.CANCELLED': [
        { type: 'WORK.CANCELLED', refundMicroUsd: micro },
        { type: 'WORK.CANCELLED', refundMicroUsd: '0' },
      ],
    },
  };
}

/** Everything that may happen to a job; tries that fail end like those that do not. */
export function jobPlan(funding: JobFunding, kind: PathPlan['kind']): PathPlan {
  return {
    kind,
    input: jobInput({ funding }),
    variants: {
      ...done('fund', null),
      ...(funding === 'escrow' ? done('release', null) : ends('release', null)),
      ...done('refund', null),
      'WORK.DELIVERED': [{ type: 'WORK.DELIVERED', deliverableSha: 'a'.repeat(64) }],
      'JOB.COMPLETED': [
        { type: 'JOB.COMPLETED' },
        { type: 'JOB.COMPLETED', paymentId: 'pay_1', deliverableSha: 'b'.repeat(64) },
      ],
      'DISPUTE.OPENED': [{ type: 'DISPUTE.OPENED', by: ADDRESS.payer, reason: 'not as agreed' }],
      'DISPUTE.DECIDED': [
        { type: 'DISPUTE.DECIDED', upheld: 'provider' },
        { type: 'DISPUTE.DECIDED', upheld: 'buyer' },
      ],
      'CHAIN.ESCROWED': [confirmed('CHAIN.ESCROWED')],
      'CHAIN.RELEASED': [confirmed('CHAIN.RELEASED')],
      'CHAIN.REFUNDED': [confirmed('CHAIN.REFUNDED')],
      'CHAIN.REFUSED': [{ type: 'CHAIN.REFUSED', reason: 'reverted' }],
    },
  };
}

/** A job as its machine is created with. */
export function jobInput(overrides: Partial<JobInput> = {}): JobInput {
  return {
    jobId: 'job_path',
    funding: 'escrow',
    buyer: ADDRESS.payer,
    provider: ADDRESS.treasury,
    priceMicroUsd: '25000000',
    feeBps: 2000,
    fulfilMs: 86_400_000,
    ...overrides,
  };
}

/** A confirmed fact of the chain. */
export function confirmed(type: string): Ev {
  return { type, transaction: '0x03', block: 9, logIndex: 0 };
}

/** Everything that may be asked of a control. */
export function controlPlan(kind: PathPlan['kind']): PathPlan {
  const labels = ['LIVE', 'SHADOW', 'OFF'];
  const change = { type: 'CONTROL.CHANGED', role: 'operator', who: 'op', why: 'drill', at: AT };
  return {
    kind,
    input: { controlId: 'payer-binding', label: 'OFF' },
    variants: { 'CONTROL.CHANGED': labels.map((to) => ({ ...change, to })) },
  };
}

function done(child: string, output: unknown): Record<string, Ev[]> {
  return { ...ends(child, output), [`xstate.error.actor.${child}`]: [] };
}

function ends(child: string, ...outputs: readonly unknown[]): Record<string, Ev[]> {
  const [ok, error] = [`xstate.done.actor.${child}`, `xstate.error.actor.${child}`];
  return {
    [ok]: outputs.map((output) => ({ type: ok, output, actorId: child })),
    [error]: [{ type: error, error: ERROR, actorId: child }],
  };
}
