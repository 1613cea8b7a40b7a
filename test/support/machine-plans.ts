import type { PaymentOrder } from '../../src/domain/payment/payment-record.ts';
import type { JobInput } from '../../src/machines/escrow/job-context.ts';
import type { Ev } from '../../src/runtime/engine/types.ts';
import { createJobInput as plannedJob } from '../../src/testing/plans/job.ts';

const ADDRESS = { payer: `0x${'a1'.repeat(20)}`, treasury: `0x${'b2'.repeat(20)}` };

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

/** A job as its machine is created with. */
export function jobInput(overrides: Partial<JobInput> = {}): JobInput {
  return { ...plannedJob(overrides.funding ?? 'escrow'), ...overrides };
}

/** A confirmed fact of the chain, in a transaction of its own for each type of fact. */
export function confirmed(type: string, more: object = {}): Ev {
  const transaction = `0x${Buffer.from(type).toString('hex')}`;
  return { type, transaction, block: 9, logIndex: 0, atS: 1_700_000_000, ...more };
}
