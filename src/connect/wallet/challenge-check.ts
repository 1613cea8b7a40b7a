import { AppError } from '../../domain/common/error.ts';
import { formatUsd, type MicroUsdText } from '../../domain/common/money.ts';
import type { PaymentRequired, PaymentRequirements } from '../../domain/payment/payment.ts';

/** Longest that an authorization may be asked to hold, in seconds. */
export const VALID_FOR_S_MAX = 900;

/** The one kind of money that a wallet pays with. */
export interface Purse {
  /** CAIP-2 name, such as `eip155:8453`. */
  readonly network: string;
  /** Address of the stablecoin, of six places. */
  readonly asset: string;
}

/**
 * Picks the way to pay that fits the wallet, and refuses a challenge that asks for anything else
 * than was listed. Nothing of a refused challenge is signed.
 *
 * @param listed - The price that `tools/list` named; `undefined` when it named none.
 * @throws {AppError} `CHALLENGE_REFUSED` with the field, what was asked and what is paid.
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

/** Compares addresses in any spelling. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function dollars(amount: MicroUsdText): string {
  return `$${formatUsd(BigInt(amount))}`;
}

function refused(field: string, received: string, allowed: string): AppError {
  return new AppError('CHALLENGE_REFUSED', {
    message: `Nothing was paid: the server asks for ${field} ${received}; allowed: ${allowed}.`,
    data: { field, received, allowed },
  });
}
