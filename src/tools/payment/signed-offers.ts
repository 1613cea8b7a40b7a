import type { Clock } from '../../domain/common/clock.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';

/** A signed offer holds at least this long, in milliseconds, and at most twice as long. */
export const OFFER_VALID_MS = 10 * MINUTE_MS;
/** Most signed offers that are kept for repeats. */
export const OFFERS_KEPT_MAX = 1_024;

/** Gives the extension of a challenge in which its one offer is signed (x402 offer-receipt). */
export type OfferSigner = (
  offer: PaymentRequirements,
  resourceUrl: string,
) => Promise<SignedOffers>;

/** The extension as it stands in a challenge. */
export interface SignedOffers {
  readonly 'offer-receipt': { readonly info: { readonly offers: readonly object[] } };
}

/** Makes a signer of offers. Signing costs: the same offer is signed once per period. */
export function openOfferSigner(deps: {
  readonly chain: Pick<PaymentChain, 'signOffer'>;
  readonly clock: Pick<Clock, 'now'>;
}): OfferSigner {
  const signed = new Map<string, Promise<unknown>>();
  const signature = (offer: PaymentRequirements, resourceUrl: string): Promise<unknown> => {
    const period = Math.floor(deps.clock.now() / OFFER_VALID_MS);
    const key = hashJson([offer, resourceUrl, period]);
    const found = signed.get(key);
    if (found !== undefined) return found;
    if (signed.size >= OFFERS_KEPT_MAX) signed.clear();
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
