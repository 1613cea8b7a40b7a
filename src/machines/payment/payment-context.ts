import { ERRORS, isErrorCode } from '../../domain/common/error.ts';
import { formatMicroUsd } from '../../domain/common/money.ts';
import type { PaymentFailure, TransferOutcome } from '../../domain/payment/payment-chain.ts';
import type {
  PaymentOrder,
  PaymentRecord,
  RecordedFault,
} from '../../domain/payment/payment-record.ts';

/** Output of the `check` effect: why the chain would reject the payment, if so. */
export interface CheckOutput {
  readonly fault: PaymentFailure | null;
}

/** Outcome of a transfer with the time at which it was seen, in milliseconds. */
export type ObservedOutcome = TransferOutcome & { readonly at: number };

/** Output of the `lookUp` effect; `unspent` means that settling may be retried. */
export type LookUpOutput = ObservedOutcome | { readonly state: 'unspent'; readonly at: number };

/** Input of the `refund` effect. */
export interface RefundInput {
  readonly paymentId: string;
  readonly to: string;
  readonly amount: string;
}

/** An error as the engine delivers it. */
interface DeliveredError {
  readonly code?: string;
  readonly message?: string;
}

/** Events that a payment accepts: from its work, the operator and its effects. */
export type PaymentEvent =
  | { readonly type: 'WORK.DONE'; readonly resultSha?: string }
  | { readonly type: 'WORK.FAILED'; readonly reason: string; readonly resultSha?: string }
  | { readonly type: 'WORK.CANCELLED'; readonly refundMicroUsd: string }
  | { readonly type: 'REFUND.RETRY' }
  | { readonly type: 'xstate.done.actor.check'; readonly output: CheckOutput }
  | { readonly type: 'xstate.done.actor.settle'; readonly output: ObservedOutcome }
  | { readonly type: 'xstate.done.actor.lookUp'; readonly output: LookUpOutput }
  | { readonly type: 'xstate.done.actor.refund'; readonly output: ObservedOutcome }
  | { readonly type: 'xstate.error.actor.check'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.settle'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.lookUp'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.refund'; readonly error: unknown };

/** Creates the initial context of a payment. */
export function createPaymentContext({ input }: { readonly input: PaymentOrder }): PaymentRecord {
  return {
    ...input,
    fault: null,
    resultSha: null,
    transaction: null,
    settledAt: null,
    lookUps: 0,
    refundMicroUsd: '0',
    refundReason: null,
    refundTransaction: null,
  };
}

/** Returns the transfer outcome in an event, if any. */
export function paymentOutcomeOf(event: PaymentEvent): LookUpOutput | undefined {
  if (!('output' in event) || event.type === 'xstate.done.actor.check') return undefined;
  return event.output;
}

/** Returns the failure in an event. */
export function failureOf(event: PaymentEvent): RecordedFault {
  if (event.type === 'xstate.done.actor.check' && event.output.fault !== null) {
    return toRecordedFailure(event.output.fault);
  }
  const outcome = paymentOutcomeOf(event);
  if (outcome?.state === 'failed') return toRecordedFailure(outcome.fault);
  if (outcome?.state === 'unknown') {
    return toRecordedFailure(outcome.fault ?? { code: 'PAYMENT_PENDING', message: outcome.detail });
  }
  if ('error' in event) return errorToFailure(event.error);
  if (event.type === 'WORK.FAILED') return { code: 'INTERNAL', message: event.reason };
  return { code: 'PAYMENT_EXPIRED', message: 'The authorization ended before the work did.' };
}

/** Returns the transaction in an outcome, or `null`. */
export function readTransaction(event: PaymentEvent): string | null {
  const outcome = paymentOutcomeOf(event);
  return outcome?.state === 'settled' || outcome?.state === 'unknown' ? outcome.transaction : null;
}

/** Returns the amount to refund: as requested on cancellation, otherwise the full price. */
export function computeRefund(payment: PaymentRecord, event: PaymentEvent): string {
  if (event.type !== 'WORK.CANCELLED') return payment.priceMicroUsd;
  const [requested, price] = [BigInt(event.refundMicroUsd), BigInt(payment.priceMicroUsd)];
  return formatMicroUsd(requested < price ? requested : price);
}

function toRecordedFailure({ code, message }: PaymentFailure): RecordedFault {
  return { code, message };
}

function errorToFailure(error: unknown): RecordedFault {
  const { code, message } = (error ?? {}) as DeliveredError;
  return {
    code: isErrorCode(code) ? code : 'CHAIN_UNAVAILABLE',
    message: message ?? ERRORS.CHAIN_UNAVAILABLE.summary,
  };
}
