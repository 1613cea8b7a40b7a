import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentChain, TransferOutcome } from '../../domain/payment/payment-chain.ts';
import { paymentMachine, version } from '../../machines/payment/payment.ts';
import type {
  CheckOutput,
  LookUpOutput,
  ObservedOutcome,
  RefundInput,
} from '../../machines/payment/payment-context.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../runtime/engine/types.ts';

/** Actor kind of payments. */
export const PAYMENT_KIND = 'payment';

/** Refund attempts before the refund is left to the operator and the hourly retry. */
const REFUND_ATTEMPTS = 5;

interface SpendingInput {
  readonly payload: PaymentPayload;
}

/**
 * Creates the definition of the payment actor with its four effects on the chain. Every effect can
 * be repeated safely: the chain accepts each authorization once, and a refund uses the payment's
 * own idempotency key.
 */
export function definePayment({ chain }: { readonly chain: PaymentChain }): Definition {
  const check: Effect<SpendingInput, CheckOutput> = {
    attempts: 2,
    timeoutMs: 15 * SECOND_MS,
    run: async ({ payload }) => ({ fault: (await chain.checkOnChain(payload)) ?? null }),
  };
  const settle: Effect<SpendingInput, ObservedOutcome> = {
    attempts: 3,
    timeoutMs: MINUTE_MS,
    run: async ({ payload }, { now }) => ({ ...(await chain.settle(payload)), at: now() }),
  };
  const lookUp: Effect<SpendingInput, LookUpOutput> = {
    attempts: 1,
    timeoutMs: 30 * SECOND_MS,
    run: async ({ payload }, { now }) => ({ ...(await chain.queryOutcome(payload)), at: now() }),
  };
  const refund: Effect<RefundInput, ObservedOutcome> = {
    attempts: REFUND_ATTEMPTS,
    timeoutMs: MINUTE_MS,
    run: async ({ paymentId, to, amount }, { now }) => {
      const token = refundToken(paymentId);
      return { ...requireKnownOutcome(await chain.transfer({ to, amount, token })), at: now() };
    },
  };
  return define({
    kind: PAYMENT_KIND,
    version,
    machine: paymentMachine,
    effects: { check, settle, lookUp, refund },
    migrations: [],
  });
}

/**
 * Returns the idempotency key of a payment's only refund. The key derives from the payment, not
 * from the effect: a refund that is retried later is a new effect and must still not pay twice.
 */
export function refundToken(paymentId: string): string {
  return `${paymentId}:refund`;
}

/**
 * Throws on an unknown outcome, so that the refund is retried until the chain gives a final one.
 */
function requireKnownOutcome(outcome: TransferOutcome): TransferOutcome {
  if (outcome.state !== 'unknown') return outcome;
  throw new AppError('CHAIN_UNAVAILABLE', { message: outcome.detail });
}
