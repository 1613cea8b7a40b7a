import { expect, test } from 'vitest';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { createParty, type Party, signMove } from '../../support/trust-parties.ts';
import { WALLET_KINDS } from '../../support/wallet-contract.ts';
import { DELIVERABLE, FUNDS, orderOf, refusal, type Scene, WORD } from './trust-scene.ts';

/** Signatures of wallet contracts are longer than a key's, or of the same length. */
const FORMS = { 'as long as a key’s': '', 'longer than a key’s': 'ab'.repeat(40) } as const;
const UNSOUND = WALLET_KINDS.filter((kind) => kind !== 'sound');

/** What wallets that are contracts (ERC-1271) may do on every chain of trust. */
export function trustWalletSuite(at: Scene): void {
  for (const [name, more] of Object.entries(FORMS)) {
    test(`a wallet contract signs, funds, hands in and releases with a signature ${name}`, async () => {
      const { trust, wallet, fund } = at.world;
      const { buyer, provider } = await contractParties(at, more);
      await fund(buyer.address, FUNDS);
      const said = trust.escrow.createMoveRequest(WORD, { move: 'release' });
      expect(await trust.isSignedBy(buyer.address, said, await buyer.sign(said))).toBe(true);
      expect(await trust.isSignedBy(buyer.address, said, await provider.sign(said))).toBe(false);
      const text = `${await buyer.account.signMessage({ message: 'A text.' })}${more}`;
      expect(await trust.isSignedBy(buyer.address, 'A text.', text)).toBe(true);
      expect(await trust.isSignedBy(buyer.address, 'Another text.', text)).toBe(false);
      expect(await trust.isSignedBy(provider.address, 'A text.', text)).toBe(false);
      const stranger = longer(await wallet(createParty()), more);
      expect(await trust.isSignedBy(buyer.address, said, await stranger.sign(said))).toBe(false);
      for (const form of ['terms', 'exact'] as const) {
        const order = await orderOf(at.world, { buyer, provider }, form);
        const forged = {
          ...order,
          signature: (
            await orderOf(
              at.world,
              { buyer: { ...stranger, address: buyer.address }, provider },
              form,
            )
          ).signature,
        };
        expect(await trust.escrow.fund(forged)).toMatchObject(refusal('PAYMENT_FORGED'));
        const key = trust.escrow.computeKey(order.terms);
        const funded = await trust.escrow.fund(order);
        expect(funded.state, JSON.stringify(funded)).toBe('done');
        const fulfil = { move: 'fulfil', deliverable: DELIVERABLE } as const;
        const unsigned = await signMove(trust, key, stranger, fulfil);
        expect(await trust.escrow.move(key, { ...fulfil, signature: unsigned })).toMatchObject(
          refusal('MOVE_UNSIGNED'),
        );
        const signature = await signMove(trust, key, provider, fulfil);
        expect((await trust.escrow.move(key, { ...fulfil, signature })).state).toBe('done');
        const release = { move: 'release' } as const;
        const released = await signMove(trust, key, buyer, release);
        const done = await trust.escrow.move(key, { ...release, signature: released });
        expect(done.state, JSON.stringify(done)).toBe('done');
      }
      const { chain } = at.world;
      expect(await chain.balance(buyer.address)).toBe('80000000');
      expect(await chain.balance(provider.address)).toBe('16000000');
    });
  }

  provesPayments(at);
  test.each(UNSOUND)(
    'a %s wallet contract has signed nothing, and moves no money',
    async (kind) => {
      const { trust, wallet, fund, chain } = at.world;
      const owner = createParty();
      const buyer = await wallet(owner, kind);
      await fund(buyer.address, FUNDS);
      const said = trust.escrow.createMoveRequest(WORD, { move: 'release' });
      expect(await trust.isSignedBy(buyer.address, said, await owner.sign(said))).toBe(false);
      const order = await orderOf(at.world, { buyer, provider: createParty() }, 'exact');
      expect(await trust.escrow.fund(order)).toMatchObject(refusal('PAYMENT_FORGED'));
      expect(await chain.balance(buyer.address)).toBe(FUNDS);
    },
  );
}

function provesPayments(at: Scene): void {
  for (const [name, more] of Object.entries(FORMS)) {
    test(`a wallet contract pays for a call with a signature ${name}`, async () => {
      const { chain, wallet, fund, nowS } = at.world;
      const owner = createPayer();
      const ownerAddress = owner.address.toLowerCase();
      const { address } = await wallet({ ...createParty(), address: ownerAddress });
      await fund(address, FUNDS);
      const offer = requirementsOf(chain.facts, { amount: '250000' });
      const now = (await nowS()) * 1_000;
      const pay = async (from: string, tail = more): Promise<PaymentPayload> => {
        const made = await owner.pay(offer, { now, authorization: { from } });
        const { authorization, signature } = made.payload;
        return { ...made, payload: { authorization, signature: `${signature}${tail}` } };
      };
      const payment = await pay(address);
      expect(await chain.check(payment, offer, now)).toBeUndefined();
      expect(await chain.checkOnChain(payment)).toBeUndefined();
      expect(await chain.settle(payment)).toMatchObject({ state: 'settled' });
      expect(await chain.balance(address)).toBe('99750000');
      // An address without a contract, and a contract of somebody else.
      const stranger = await wallet(createParty());
      await fund(stranger.address, FUNDS);
      for (const other of [createParty().address, stranger.address]) {
        const forged = await pay(other);
        const fault = (await chain.check(forged, offer, now)) ?? (await chain.checkOnChain(forged));
        expect(fault?.code).toMatch(/^PAYMENT_(FORGED|FUNDS)$/);
        expect(await chain.settle(forged)).toMatchObject({ state: 'unknown' });
      }
      expect(await chain.balance(stranger.address)).toBe(FUNDS);
      const wrapped = await pay(address, `${more}${'6492'.repeat(16)}`);
      const fault = await chain.check(wrapped, offer, now);
      expect([fault?.code, fault?.message]).toEqual([
        'PAYMENT_MALFORMED',
        expect.stringContaining('ERC-6492'),
      ]);
    });
  }
}

async function contractParties({ world: { wallet } }: Scene, more: string) {
  const [buyer, provider] = [await wallet(createParty()), await wallet(createParty())];
  return { buyer: longer(buyer, more), provider: longer(provider, more) };
}

function longer(party: Party, more: string): Party {
  return { ...party, sign: async (data) => `${await party.sign(data)}${more}` };
}
