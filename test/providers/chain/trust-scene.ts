import { afterAll, beforeAll, expect } from 'vitest';
import type { TrustChain } from '../../../src/domain/chain/trust-chain.ts';
import type { PaymentChain } from '../../../src/domain/payment/payment-chain.ts';
import {
  createParty,
  fundingOf,
  type Party,
  signMove,
  termsOf,
} from '../../support/trust-parties.ts';
import type { MakeWallet } from '../../support/wallet-contract.ts';

/** A chain with its contracts, and a hand on its clock. */
export interface TrustWorld {
  readonly chain: PaymentChain;
  readonly trust: TrustChain;
  readonly nowS: () => Promise<number>;
  readonly passS: (seconds: number) => Promise<void>;
  readonly fund: (address: string, amount: string) => Promise<unknown>;
  readonly wallet: MakeWallet;
  readonly close: () => Promise<void>;
}

/** What a buyer has at the start. */
export const FUNDS = '100000000';
/** A deliverable's hash. */
export const DELIVERABLE = `0x${'d1'.repeat(32)}`;
/** Any other word. */
export const WORD = `0x${'0e'.repeat(32)}`;

/** A chain with jobs on it. */
export interface Scene {
  readonly world: TrustWorld;
  parties(): Promise<{ readonly buyer: Party; readonly provider: Party }>;
  job(form?: 'terms' | 'exact'): Promise<Job>;
}

interface Job {
  readonly key: string;
  readonly buyer: Party;
  readonly provider: Party;
  readonly order: Parameters<TrustChain['escrow']['fund']>[0];
}

/** Opens the chain before the tests and closes it after them. */
export function openScene(open: () => Promise<TrustWorld>, timeoutMs: number): Scene {
  let world: TrustWorld;
  beforeAll(async () => {
    world = await open();
  }, timeoutMs);
  afterAll(() => world.close());
  const parties = async () => {
    const buyer = createParty();
    await world.fund(buyer.address, FUNDS);
    return { buyer, provider: createParty() };
  };
  return {
    get world() {
      return world;
    },
    parties,
    job: async (form = 'terms') => {
      const { buyer, provider } = await parties();
      const order = await orderOf(world, { buyer, provider }, form);
      const outcome = await world.trust.escrow.fund(order);
      expect(outcome.state, JSON.stringify(outcome)).toBe('done');
      return { key: world.trust.escrow.computeKey(order.terms), buyer, provider, order };
    },
  };
}

/** What funds a fresh job. */
export async function orderOf(
  { chain, trust, nowS }: TrustWorld,
  parties: { readonly buyer: Party; readonly provider: Party },
  form: 'terms' | 'exact',
) {
  const now = await nowS();
  const terms = termsOf(parties, now);
  const { buyer } = parties;
  return fundingOf({ facts: chain.facts, trust, buyer, terms, form, nowS: now });
}

/** Makes a move with its signature. */
export async function moved(
  { world: { trust } }: Scene,
  { key }: Job,
  by: Party,
  move: Parameters<typeof signMove>[3],
) {
  const signature = await signMove(trust, key, by, move);
  return trust.escrow.move(key, { ...move, signature });
}

/** What a refusal looks like. */
export function refusal(code: string, data?: Readonly<Record<string, unknown>>) {
  const fault = data === undefined ? { code } : { code, data };
  return { state: 'refused', fault };
}

/** The result of a call that must be done. */
export function resultOf<Result>(
  outcome: { readonly state: string } | { readonly result: Result },
): Result {
  expect(outcome, JSON.stringify(outcome)).toHaveProperty('result');
  return (outcome as { readonly result: Result }).result;
}
