import { createCapability } from '../../domain/common/id.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { X402_VERSION } from '../../domain/payment/payment.ts';
import type { PaymentOrder } from '../../domain/payment/payment-record.ts';
import type { JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import type { PaidCall } from './paid-call.ts';
import type { PaymentKey } from './presented-payment.ts';

/** Longest duration of unpaid work, in milliseconds. The authorization may expire earlier. */
const UNPAID_WORK_MS = 15 * MINUTE_MS;
/**
 * Longest duration of paid inline work and of paid jobs, in milliseconds. Later, a refund follows.
 */
const PAID_WORK_MS = { inline: 15 * MINUTE_MS, job: 7 * DAY_MS } as const;

/**
 * Creates the order of a payment.
 *
 * @param ordered - The job that it pays for; inline work has none.
 */
export function createOrder(
  call: PaidCall,
  key: PaymentKey,
  ordered: JobOrder | undefined,
  { chain, clock, random }: Pick<Services, 'chain' | 'clock' | 'random'>,
): PaymentOrder {
  const listing = chain.facts.facilitatorExtra === undefined ? {} : call.listing?.();
  const { paymentId, binding, argsHash, payload, identifierHash } = key;
  const jobId = ordered === undefined ? null : (call.jobId ?? createCapability('job', random));
  return {
    paymentId,
    flow: call.flow,
    tool: call.tool,
    argsHash,
    binding,
    priceMicroUsd: call.offer.amount,
    network: call.offer.network,
    payer: payload.payload.authorization.from,
    resourceUrl: call.resourceUrl,
    src: call.src ?? null,
    payload: {
      x402Version: X402_VERSION,
      accepted: call.offer,
      payload: payload.payload,
      ...listing,
    },
    identifierHash,
    lapseMs: unpaidLifetimeMs(payload.payload.authorization.validBefore, clock.now()),
    workMs: jobId === null ? PAID_WORK_MS.inline : PAID_WORK_MS.job,
    jobId,
    job:
      ordered === undefined
        ? null
        : { kind: ordered.kind, input: { ...ordered.input, jobId, paymentId } },
  };
}

function unpaidLifetimeMs(validBefore: string, now: number): number {
  const left = BigInt(validBefore) * BigInt(SECOND_MS) - BigInt(now);
  if (left <= 0n) return 0;
  return left < BigInt(UNPAID_WORK_MS) ? Number(left) : UNPAID_WORK_MS;
}
