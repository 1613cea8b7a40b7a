import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/common/clock.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { OFFER_RECEIPT_EXTENSION, OFFERS_SCHEMA } from '../../domain/payment/offer-receipt.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';

/** Minimum validity of a signed offer, in milliseconds; it is usually at most twice as long. */
export const OFFER_VALID_MS = 10 * MINUTE_MS;
/** Maximum number of cached signed offers. */
export const OFFERS_KEPT_MAX = 1_024;

/** Returns the challenge extension with its signed offer (x402 offer-receipt). */
export type OfferSigner = (
  offer: PaymentRequirements,
  resourceUrl: string,
) => Promise<SignedOffers>;

/** The wire form of the extension. */
export interface SignedOffers {
  readonly [OFFER_RECEIPT_EXTENSION]: {
    readonly info: { readonly offers: readonly object[] };
    readonly schema: object;
  };
}

/** Creates an offer signer. Signing is expensive, so equal offers are signed once per period. */
export function createOfferSigner(deps: {
  readonly chain: Pick<PaymentChain, 'signOffer'>;
  readonly clock: Pick<Clock, 'now'>;
}): OfferSigner {
  const signed = new LRUCache<string, Promise<unknown>>({ max: OFFERS_KEPT_MAX });
  const signature = (offer: PaymentRequirements, resourceUrl: string): Promise<unknown> => {
    const period = Math.floor(deps.clock.now() / OFFER_VALID_MS);
    const key = hashJson([offer, resourceUrl, period]);
    const found = signed.get(key);
    if (found !== undefined) return found;
    const validUntil = findReadableEnd(period + 2) * OFFER_VALID_MS;
    const fresh = deps.chain.signOffer(offer, resourceUrl, validUntil).catch((thrown: unknown) => {
      signed.delete(key);
      throw thrown;
    });
    signed.set(key, fresh);
    return fresh;
  };
  return async (offer, resourceUrl) => {
    const offers = [{ acceptIndex: 0, ...((await signature(offer, resourceUrl)) as object) }];
    return { [OFFER_RECEIPT_EXTENSION]: { info: { offers }, schema: OFFERS_SCHEMA } };
  };
}

/**
 * Returns the first period at whose end the Unix time in seconds has no `401` among its digits.
 * Clients that find this number in the text of an error ask their user to log in. The longest
 * extension is 28 hours, once in 3 years.
 */
function findReadableEnd(period: number): number {
  let end = period;
  while (String((end * OFFER_VALID_MS) / SECOND_MS).includes('401')) end += 1;
  return end;
}
