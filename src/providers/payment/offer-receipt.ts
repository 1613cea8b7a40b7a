import { hexToBytes } from 'viem/utils';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PaymentRequirements } from '../../domain/payment/payment.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { DigestSigner } from '../chain/signature.ts';

/** Version of offers and receipts in the extension. */
const RECORD_VERSION = 1;

/**
 * Creates the two signing functions of the x402 offer-receipt extension (EIP-712 form). The payee's
 * own key signs, so the record alone proves who issued it.
 */
export function createOfferReceiptSigner(
  signer: DigestSigner,
  network: string,
): Pick<PaymentChain, 'signOffer' | 'signReceipt'> {
  return {
    signOffer: async (offer: PaymentRequirements, resourceUrl, validUntil) => {
      const payload = {
        version: RECORD_VERSION,
        resourceUrl,
        scheme: offer.scheme,
        network: offer.network,
        asset: offer.asset,
        payTo: offer.payTo,
        amount: offer.amount,
        validUntil: Math.floor(validUntil / SECOND_MS),
      };
      const { hashOfferTypedData } = await loadExtension();
      const signature = signer.sign(hexToBytes(hashOfferTypedData(payload)));
      return { format: 'eip712', acceptIndex: 0, payload, signature };
    },
    signReceipt: async ({ resourceUrl, payer, transaction, issuedAt }) => {
      const payload = {
        version: RECORD_VERSION,
        network,
        resourceUrl,
        payer,
        issuedAt: Math.floor(issuedAt / SECOND_MS),
        transaction,
      };
      const { hashReceiptTypedData } = await loadExtension();
      const signature = signer.sign(hexToBytes(hashReceiptTypedData(payload)));
      return { format: 'eip712', payload, signature };
    },
  };
}

/** Loads the extension's hash functions on first use, because they need a hundred modules. */
export function loadExtension(): Promise<typeof import('@x402/extensions/offer-receipt')> {
  return import('@x402/extensions/offer-receipt');
}
