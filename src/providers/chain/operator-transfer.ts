import { keccak256, toHex } from 'viem/utils';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { OperatorTransfer, TransferOutcome } from '../../domain/payment/payment-chain.ts';

/** How long an authorization of the treasury is valid. A repeat gets a new validity period. */
const VALIDITY_MS = HOUR_MS;

/**
 * Creates the authorization of an operator's transfer. Its nonce is the hash of the order's token,
 * so the chain itself rejects a repeat. `now` is in milliseconds.
 */
export function createTransferAuthorization(
  order: OperatorTransfer,
  treasury: string,
  now: number,
): Authorization {
  return {
    from: treasury,
    to: order.to,
    value: order.amount,
    validAfter: '0',
    validBefore: String(Math.floor((now + VALIDITY_MS) / SECOND_MS)),
    nonce: keccak256(toHex(order.token)),
  };
}

/** Maps a replay to a conflict: a nonce that moved other money means a token with two orders. */
export function toTransferOutcome(outcome: TransferOutcome): TransferOutcome {
  if (outcome.state !== 'failed' || outcome.fault.code !== 'PAYMENT_REPLAYED') return outcome;
  const message = 'The token of this transfer was already used for a different transfer.';
  return { state: 'failed', fault: { code: 'PAYMENT_CONFLICT', message } };
}
