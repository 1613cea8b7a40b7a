import { sha256Hex } from '../common/hash.ts';

const PAYMENT_ID = /^pay_([0-9a-f]{64})$/;
const SETTLEMENT_REF = /^set_([0-9a-f]{64})$/;
const JOB_REF = /^job_[0-9a-f]{32}$/;

/**
 * The public name of a settlement. Anyone who reads the chain can make it from a payment's network,
 * asset, payer and nonce; it opens nothing.
 */
export function settlementRef(paymentId: string): string {
  return paymentId.replace(PAYMENT_ID, 'set_$1');
}

/** The payment that a settlement's name is of; `undefined` when it is no such name. */
export function paymentOfSettlement(ref: string): string | undefined {
  return SETTLEMENT_REF.test(ref) ? ref.replace(SETTLEMENT_REF, 'pay_$1') : undefined;
}

/** The public name of a panel's decision. A job id opens a result, so only its hash is told. */
export function consensusRef(jobId: string): string {
  return `con_${sha256Hex(`stoa consensus v1:${jobId}`)}`;
}

/** The public name of the proof that a paid call gave out a signed statement. */
export function statementRef(paymentId: string): string {
  return paymentId.replace(PAYMENT_ID, 'stm_$1');
}

/** Where records of controls in SHADOW are found, apart from what they are about. */
export function shadowRef(ref: string): string {
  return `shadow_${ref}`;
}

/** Tells whether a reference is the id of a job of the board. */
export function isJobRef(ref: string): boolean {
  return JOB_REF.test(ref);
}
