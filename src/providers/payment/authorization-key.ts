import type { Authorization } from '../../domain/payment/payment.ts';

/** Returns the journal key of an authorization: `payer:nonce` in lower case. */
export function authorizationKey({ from, nonce }: Pick<Authorization, 'from' | 'nonce'>): string {
  return `${from}:${nonce}`.toLowerCase();
}
