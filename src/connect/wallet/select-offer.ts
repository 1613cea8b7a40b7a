import { AppError } from '../../domain/common/error.ts';
import { formatUsd, type MicroUsdText } from '../../domain/common/money.ts';
import type { PaymentRequired, PaymentRequirements } from '../../domain/payment/payment.ts';

/** Longest validity of an authorization that a server may request, in seconds. */
export const VALIDITY_S_MAX = 900;

/** The network and stablecoin that a wallet pays with. */
export interface PaymentAsset {
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
export function selectOffer(
  required: PaymentRequired,
  purse: PaymentAsset,
  listed: MicroUsdText | undefined,
): PaymentRequirements {
  const [first] = required.accepts;
  if (first === undefined) throw challengeRefused('accepts', 'no way to pay', 'one');
  const onNetwork = required.accepts.filter(({ network }) => network === purse.network);
  const [near] = onNetwork;
  if (near === undefined) throw challengeRefused('network', first.network, purse.network);
  const offer = onNetwork.find(({ asset }) => isSameAddress(asset, purse.asset));
  if (offer === undefined) throw challengeRefused('asset', near.asset, purse.asset);
  if (listed === undefined)
    throw challengeRefused('amount', formatDollars(offer.amount), 'no price is listed');
  if (offer.amount !== listed)
    throw challengeRefused('amount', formatDollars(offer.amount), formatDollars(listed));
  if (offer.maxTimeoutSeconds > VALIDITY_S_MAX) {
    const asked = `${offer.maxTimeoutSeconds} s`;
    throw challengeRefused('maxTimeoutSeconds', asked, `at most ${VALIDITY_S_MAX} s`);
  }
  const { name, version } = offer.extra;
  if (typeof name !== 'string' || typeof version !== 'string') {
    throw challengeRefused('extra', 'no name and version of the asset', 'both');
  }
  return offer;
}

/** Returns true if two addresses are equal, ignoring case. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function formatDollars(amount: MicroUsdText): string {
  return `$${formatUsd(BigInt(amount))}`;
}

function challengeRefused(field: string, received: string, allowed: string): AppError {
  return new AppError('CHALLENGE_REFUSED', {
    message: `The wallet did not pay: \`${field}\` is ${received}; allowed: ${allowed}.`,
    data: { field, received, allowed },
  });
}
