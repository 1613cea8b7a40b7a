import type { ClaimedPayment, PaymentIds } from '../../src/domain/payment/payment-ids.ts';

/** Identifiers of payments, in memory: nothing waits for a disk. */
export function memoryPaymentIds(): PaymentIds {
  const claims = new Map<string, ClaimedPayment>();
  const name = (of: Pick<ClaimedPayment, 'payer' | 'identifierHash'>) =>
    `${of.payer} ${of.identifierHash}`;
  return {
    find: (of) => claims.get(name(of)),
    bind: async (claimed) => {
      claims.set(name(claimed), claimed);
    },
    remove: async (claimed) => {
      if (claims.get(name(claimed))?.paymentId === claimed.paymentId) claims.delete(name(claimed));
    },
  };
}
