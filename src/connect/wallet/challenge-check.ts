import { AppError } from '../../domain/common/error.ts';
import { formatUsd, type MicroUsdText } from '../../domain/common/money.ts';
import type { PaymentRequired, PaymentRequirements } from '../../domain/payment/payment.ts';

/** Longest validity of an authorization that a server may request, in seconds. */
export const VALID_FOR_S_MAX = 900;

/** The network and stablecoin that a wallet pays with. */
export interface Purse {
  /** CAIP-2 name, such as `eip155:8453`. */
  readonly network: string;
  /** Address of the stablecoin; it has 6 decimals. */
  readonly asset: string;
}

/**
 * Returns the payment option that matches the wallet and the listed price. Nothing of a rejected
 * challenge is signed.
 *
 * @param listed - The price in `tools/list`; `undefined` if it lists none.
 * @throws {AppError} `CHALLENGE_REFUSED` with the field, the received and the allowed value.
 */
export function acceptOffer(
  required: PaymentRequired,
  purse: Purse,
  listed: MicroUsdText | undefined,
): PaymentRequirements {
  const [first] = required.accepts;
  if (first === undefined) throw refused('accepts', 'no way to pay', 'one');
  const onNetwork = required.accepts.filter(({ network }) => network === purse.network);
  const [near] = onNetwork;
  if (near === undefined) throw refused('network', first.network, purse.network);
  const offer = onNetwork.find(({ asset }) => isSame(asset, purse.asset));
  if (offer === undefined) throw refused('asset', near.asset, purse.asset);
  if (listed === undefined) throw refused('amount', dollars(offer.amount), 'no price is listed');
  if (offer.amount !== listed) throw refused('amount', dollars(offer.amount), dollars(listed));
  if (offer.maxTimeoutSeconds > VALID_FOR_S_MAX) {
    const asked = `${offer.maxTimeoutSeconds} s`;
    throw refused('maxTimeoutSeconds', asked, `at most ${VALID_FOR_S_MAX} s`);
  }
  const { name, version } = offer.extra;
  if (typeof name !== 'string' || typeof version !== 'string') {
    throw refused('extra', 'no name and version of the asset', 'both');
  }
  return offer;
}

/** Returns true if two addresses are equal, ignoring case. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function dollars(amount: MicroUsdText): string {
  return `$${formatUsd(BigInt(amount))}`;
}

function refused(field: string, received: string, allowed: string): AppError {
  return new AppError('CHALLENGE_REFUSED', {
    message: `The wallet did not pay: \`${field}\` is ${received}; allowed: ${allowed}.`,
    data: { field, received, allowed },
  });
}
