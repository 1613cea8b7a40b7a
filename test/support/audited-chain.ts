import type { NodePaymentChain } from '../../src/providers/payment/payment-chain.ts';
import type { EventFeedServer } from './event-feed-server.ts';
import { createPayer, requirementsOf } from './payer.ts';
import { createParty, fundingOf, type Party, signMove, termsOf } from './trust-parties.ts';

/** How an escrowed job ends; `none` leaves it open. */
export type JobEnd = 'release' | 'giveBack' | 'none';

/** Moves money on a real node and tells it on a feed, as a server does. */
export interface AuditedChain {
  tell(type: string, data: Readonly<Record<string, string | number | boolean | null>>): void;
  /** A payment to the treasury, told. @returns Its transaction. */
  pay(amount: string): Promise<string>;
  /** Money back to the payer, told. */
  refund(amount: string, settlement: string): Promise<void>;
  /** A job of ten dollars in the escrow, told. */
  job(end: JobEnd): Promise<void>;
  /** A job that is paid on release: its price came by `pay`, this is the provider's share. */
  share(price: string, net: string): Promise<void>;
}

/** A payer with a hundred dollars on a chain whose feed is written by the test. */
export async function auditedChain(
  chain: NodePaymentChain,
  feed: EventFeedServer,
): Promise<AuditedChain> {
  const payer = createPayer();
  await chain.faucet(payer.address, '100000000');
  const tell: AuditedChain['tell'] = (type, data) => {
    const place = { network: chain.facts.network, tool: 'test' };
    const all = type.startsWith('settlement') ? { ...place, ...data } : data;
    feed.tell({ type, ref: `ref ${feed.events.length}`, subjects: [], data: all });
  };
  const released = (
    about: Readonly<Record<string, string | null>> & { price: string },
    transaction: string,
    net: string,
  ) => {
    const fee = (BigInt(about.price) - BigInt(net)).toString();
    const facts = { net, fee, fee_bps: 2000, transaction, is_automatic: false, is_late: false };
    tell('job.released', { ...about, bid_id: null, deliverable_sha256: null, ...facts });
  };
  return {
    tell,
    pay: async (amount) => {
      const payload = await payer.pay(requirementsOf(chain.facts, { amount }));
      const { transaction } = settled(await chain.settle(payload));
      tell('settlement.settled', { price: amount, fee_bps: 2000, fee: '1', transaction });
      return transaction;
    },
    refund: async (amount, settlement_transaction) => {
      const order = { to: payer.address, amount, token: 'refund' };
      const { transaction } = settled(await chain.transfer(order));
      const because = { reason: 'failed', settlement_transaction };
      tell('settlement.refunded', { amount, transaction, ...because });
    },
    job: async (end) => {
      const { trust, facts } = chain;
      const [buyer, provider] = [createParty(), createParty()];
      await chain.faucet(buyer.address, '10000000');
      const nowS = await trust.nowS();
      const terms = termsOf({ buyer, provider }, nowS);
      const order = await fundingOf({ facts, trust, buyer, terms, form: 'terms', nowS });
      const shared = { buyer: buyer.address, provider: provider.address, price: terms.amount };
      const about = { ...shared, funding: 'escrow', bid_id: null };
      const funded = settled(await trust.escrow.fund(order));
      tell('job.escrowed', { ...about, transaction: funded.transaction });
      if (end === 'none') return;
      const by: Party = end === 'release' ? buyer : provider;
      const key = trust.escrow.computeKey(terms);
      const signature = await signMove(trust, key, by, { move: end });
      const { transaction } = settled(await trust.escrow.move(key, { move: end, signature }));
      if (end === 'release') return released(about, transaction, '8000000');
      const back = { amount: terms.amount, transaction, reason: 'given_back' };
      tell('job.refunded', { ...about, ...back });
    },
    share: async (price, net) => {
      const to = createParty().address;
      const { transaction } = settled(await chain.transfer({ to, amount: net, token: to }));
      const parties = { buyer: payer.address.toLowerCase(), provider: to };
      released({ ...parties, funding: 'on_release', price }, transaction, net);
    },
  };
}

function settled(outcome: object): { readonly transaction: string } {
  if ('transaction' in outcome) return outcome as { readonly transaction: string };
  throw new Error(`not settled: ${JSON.stringify(outcome)}`);
}
