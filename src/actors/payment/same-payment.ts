import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import {
  PAYMENT_IDENTIFIER_EXTENSION,
  REPEAT_KEY_EXTENSION,
} from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import { type BoundKey, isSamePayment } from './presented-payment.ts';

/**
 * How long a settled payment without an identifier returns its answer again, in milliseconds. Long
 * enough for a retry, too short for third parties that read the signature on the chain.
 */
export const UNIDENTIFIED_REPEAT_MS = 5 * MINUTE_MS;

/**
 * Throws if a known payment is presented for another call. A payment with other terms or another
 * signature under the same key is checked on its own first, so that a forgery reveals nothing about
 * the payment it copies.
 */
export function assertSameCall(
  owner: BoundKey,
  key: BoundKey,
  ownFault: PaymentFailure | undefined,
): void {
  const isSame = isSamePayment(owner.payload, key.payload);
  if (isSame && owner.binding === key.binding) {
    assertSamePayer(owner, key);
    return;
  }
  const fault = isSame ? undefined : ownFault;
  if (fault !== undefined) throw new AppError(fault.code, fault);
  throw new AppError('PAYMENT_CONFLICT');
}

/**
 * Throws unless the caller proves to be the payer. Anyone can read a settled signature on the
 * chain, so the result requires the payment identifier of the first call, which is never on the
 * chain.
 */
function assertSamePayer(owner: BoundKey, key: BoundKey): void {
  const { identifierHash } = owner;
  if (identifierHash === null || identifierHash === key.identifierHash) return;
  throw new AppError('PAYMENT_REPLAYED', {
    message:
      'This payment was used before. To get its result again, send the same payment identifier ' +
      `or \`${REPEAT_KEY_EXTENSION}\` extension that you sent with it the first time.`,
    data: { needs: [PAYMENT_IDENTIFIER_EXTENSION, REPEAT_KEY_EXTENSION] },
  });
}

/**
 * Throws if a settled payment is repeated too late. A payment without an identifier is limited by
 * time only.
 */
export function assertRepeatAllowed(
  { identifierHash, settledAt }: PaymentRecord,
  now: number,
): void {
  const isBare = identifierHash === null || identifierHash === undefined;
  if (!isBare || settledAt === null || now <= settledAt + UNIDENTIFIED_REPEAT_MS) return;
  throw new AppError('PAYMENT_REPLAYED', {
    message:
      'This payment settled more than 5 minutes ago and has no payment identifier, so its result ' +
      'cannot be returned again.',
    data: { settled_at: new Date(settledAt).toISOString() },
  });
}

/** Returns what a stored payment is bound to. */
export function keyFromRecord({
  binding,
  payload,
  identifierHash = null,
}: PaymentRecord): BoundKey {
  return { binding, payload, identifierHash };
}
