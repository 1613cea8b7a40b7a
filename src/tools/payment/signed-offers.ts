import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/common/clock.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';

/** Minimum validity of a signed offer, in milliseconds; the maximum is twice as long. */
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
  readonly 'offer-receipt': { readonly info: { readonly offers: readonly object[] } };
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
    const validUntil = (period + 2) * OFFER_VALID_MS;
    const fresh = deps.chain.signOffer(offer, resourceUrl, validUntil).catch((thrown: unknown) => {
      signed.delete(key);
      throw thrown;
    });
    signed.set(key, fresh);
    return fresh;
  };
  return async (offer, resourceUrl) => {
    const offers = [{ acceptIndex: 0, ...((await signature(offer, resourceUrl)) as object) }];
    return { 'offer-receipt': { info: { offers } } };
  };
}
