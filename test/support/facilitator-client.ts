import type { FacilitatorClient } from '@x402/core/server';
import {
  PaymentPayload,
  PaymentRequirements,
  X402_VERSION,
} from '../../src/domain/payment/payment.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';

/**
 * Adapts a payment chain to the interface of an x402 facilitator, so that the protocol's own
 * resource server can use it. `now` is in milliseconds.
 */
export function createFacilitatorClient(chain: PaymentChain, now: () => number): FacilitatorClient {
  const { network } = chain.facts;
  return {
    verify: async (presented, offered) => {
      const payload = PaymentPayload.safeParse(presented);
      const offer = PaymentRequirements.safeParse(offered);
      if (!payload.success || !offer.success) {
        return { isValid: false, invalidReason: 'PAYMENT_MALFORMED' };
      }
      const payer = payload.data.payload.authorization.from;
      const fault =
        (await chain.check(payload.data, offer.data, now())) ??
        (await chain.checkOnChain(payload.data));
      if (fault === undefined) return { isValid: true, payer };
      return { isValid: false, invalidReason: fault.code, invalidMessage: fault.message, payer };
    },
    settle: async (presented, offered) => {
      const payload = PaymentPayload.safeParse(presented);
      const offer = PaymentRequirements.safeParse(offered);
      const failed = { success: false, transaction: '', network } as const;
      if (!payload.success || !offer.success) {
        return { ...failed, network: offered.network, errorReason: 'PAYMENT_MALFORMED' };
      }
      const fault = await chain.check(payload.data, offer.data, now());
      const payer = payload.data.payload.authorization.from;
      const outcome =
        fault === undefined
          ? await chain.settle(payload.data)
          : ({ state: 'failed', fault } as const);
      switch (outcome.state) {
        case 'settled':
          return {
            success: true,
            network: offered.network,
            payer,
            transaction: outcome.transaction,
            amount: offer.data.amount,
          };
        case 'failed':
          return { ...failed, network: offered.network, payer, errorReason: outcome.fault.code };
        case 'unknown':
          return {
            ...failed,
            network: offered.network,
            payer,
            errorReason: 'PAYMENT_PENDING',
            transaction: outcome.transaction ?? '',
          };
      }
    },
    getSupported: async () => ({
      kinds: [
        { x402Version: X402_VERSION, scheme: 'exact', network: network as `${string}:${string}` },
      ],
      extensions: [],
      signers: { 'eip155:*': [chain.facts.treasury] },
    }),
  };
}
