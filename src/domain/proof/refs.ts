import { sha256Hex } from '../common/hash.ts';

const PAYMENT_ID = /^pay_([0-9a-f]{64})$/;
const SETTLEMENT_REF = /^set_([0-9a-f]{64})$/;
const JOB_REF = /^job_[0-9a-f]{32}$/;

/**
 * Returns the public reference of a settlement. Anyone can derive it from the network, asset, payer
 * and nonce on the chain. It grants no access.
 */
export function toSettlementRef(paymentId: string): string {
  return paymentId.replace(PAYMENT_ID, 'set_$1');
}

/** Returns the payment id of a settlement reference; `undefined` for any other text. */
export function toPaymentId(ref: string): string | undefined {
  return SETTLEMENT_REF.test(ref) ? ref.replace(SETTLEMENT_REF, 'pay_$1') : undefined;
}

/**
 * Returns the public reference of a panel's decision. The job id grants access to the result, so
 * only its hash is published.
 */
export function toConsensusRef(jobId: string): string {
  return `con_${sha256Hex(`stoa consensus v1:${jobId}`)}`;
}

/** Returns the public reference of a signed statement from a paid call. */
export function toStatementRef(paymentId: string): string {
  return paymentId.replace(PAYMENT_ID, 'stm_$1');
}

/** Returns the reference of records of controls in SHADOW, separate from their subject. */
export function toShadowRef(ref: string): string {
  return `shadow_${ref}`;
}

/** Checks whether a reference is a job id of the work board. */
export function isJobRef(ref: string): boolean {
  return JOB_REF.test(ref);
}
