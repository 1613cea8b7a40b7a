import { randomBytes } from 'node:crypto';
import type { PartyMove } from '../../src/domain/chain/trust-chain.ts';
import type { Authorization, PaymentPayload } from '../../src/domain/payment/payment.ts';
import { authorizationDigest } from '../../src/providers/chain/digest.ts';
import {
  createDigestSigner,
  type DigestSigner,
  generateKey,
  recoverSigner,
} from '../../src/providers/chain/signature.ts';
import { typedDigest } from '../../src/providers/chain/trust/typed-digest.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { requirementsOf } from './payer.ts';

/** Length of a key's signature, written in hex. */
const KEY_CHARS = 132;

/** One who makes the operator spend gas: with a key, or with a contract that the key owns. */
export interface Spender {
  readonly address: string;
  readonly signer: DigestSigner;
  readonly isContract: boolean;
}

/** A day on a chain in memory, and what wallets can ask of the operator. */
export interface SpentDay {
  readonly chain: MemoryPaymentChain;
  readonly clock: { now: number };
  /** A wallet with dollars. */
  wallet(): Spender;
  /** A contract wallet; `burns` says whether it burns everything in the block. */
  contract(burns: () => boolean): Spender;
  payment(by: Spender, priceMicro?: string): PaymentPayload;
  pay(by: Spender, priceMicro?: string): ReturnType<MemoryPaymentChain['settle']>;
  /** A payment whose money is gone when its transaction is carried out. */
  payRaced(by: Spender): ReturnType<MemoryPaymentChain['settle']>;
  fund(
    buyer: Spender,
    provider: Spender,
  ): ReturnType<MemoryPaymentChain['trust']['escrow']['fund']>;
  move(
    key: string,
    by: Spender,
    move: PartyMove,
  ): ReturnType<MemoryPaymentChain['trust']['escrow']['move']>;
  register(by: Spender): ReturnType<MemoryPaymentChain['trust']['identity']['register']>;
}

/** Begins a day on a fresh chain. */
export function spentDay(): SpentDay {
  const clock = { now: Date.UTC(2026, 5, 1) };
  const chain = createMemoryPaymentChain({ now: () => clock.now });
  const { facts, ledger, trust } = chain;
  const { tokenName: name, tokenVersion: version, chainId, token } = facts;
  const domain = { name, version, chainId, token };
  const digests = {
    transfer: authorizationDigest(domain, 'transfer'),
    receive: authorizationDigest(domain, 'receive'),
  };
  const word = () => `0x${randomBytes(32).toString('hex')}`;
  const funded = (of: Spender): Spender => {
    ledger.mint(of.address, 1_000_000_000n);
    return of;
  };
  const sign = ({ signer, isContract }: Spender, digest: Uint8Array) =>
    `${signer.sign(digest)}${isContract ? 'ab' : ''}`;
  const authorize = (by: Spender, to: string, value: string, nonce = word()): Authorization => {
    const nowS = Math.floor(clock.now / 1000);
    const [validAfter, validBefore] = [String(nowS - 600), String(nowS + 600)];
    return { from: by.address, to, value, validAfter, validBefore, nonce };
  };
  const payment: SpentDay['payment'] = (by, priceMicro = '10000') => {
    const authorization = authorize(by, facts.treasury, priceMicro);
    const signature = sign(by, digests.transfer(authorization));
    const accepted = requirementsOf(facts, { amount: priceMicro });
    return { x402Version: 2, accepted, payload: { authorization, signature } } as PaymentPayload;
  };
  const pay: SpentDay['pay'] = async (by, priceMicro) => {
    const payload = payment(by, priceMicro);
    const fault = await chain.checkOnChain(payload);
    return fault === undefined ? chain.settle(payload) : { state: 'failed', fault };
  };
  return {
    chain,
    clock,
    payment,
    pay,
    wallet: () => {
      const signer = createDigestSigner(generateKey());
      return funded({ address: signer.address, signer, isContract: false });
    },
    contract: (burns) => {
      const signer = createDigestSigner(generateKey());
      const address = `0x${randomBytes(20).toString('hex')}`;
      ledger.contracts.wallets.set(address, (digest, signature, where) => {
        const own = recoverSigner(digest, signature.slice(0, KEY_CHARS)) === signer.address;
        return own && !(where === 'block' && burns());
      });
      return funded({ address, signer, isContract: true });
    },
    payRaced: async (by) => {
      const payload = payment(by);
      const fault = await chain.checkOnChain(payload);
      if (fault !== undefined) return { state: 'failed', fault };
      chain.faults.fates.push('refused');
      const outcome = await chain.settle(payload);
      chain.faults.fates.length = 0;
      return outcome;
    },
    fund: (buyer, provider) => {
      const amount = '10000';
      const sides = { buyer: buyer.address, provider: provider.address };
      const fulfilByS = Math.floor(clock.now / 1000) + 3_600;
      const terms = { jobId: word(), ...sides, amount, fulfilByS };
      const to = trust.contracts.escrow ?? '';
      const authorization = authorize(buyer, to, amount, trust.escrow.computeKey(terms));
      const signature = sign(buyer, digests.receive(authorization));
      return trust.escrow.fund({ terms, authorization, signature, form: 'terms' });
    },
    move: (key, by, move) => {
      const signature = sign(by, typedDigest(trust.escrow.createMoveRequest(key, move)));
      return trust.escrow.move(key, { ...move, signature });
    },
    register: (by) =>
      trust.identity.register({ token: word(), wallet: by.address, uri: 'u', metadata: {} }),
  };
}
