import type { Authorization } from '../../domain/payment/payment.ts';

/** Names an authorization in the journal of sent transactions: `payer:nonce` in lower case. */
export function authorizationKey({ from, nonce }: Pick<Authorization, 'from' | 'nonce'>): string {
  return `${from}:${nonce}`.toLowerCase();
}
