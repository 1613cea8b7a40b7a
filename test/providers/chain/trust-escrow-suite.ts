import { expect, test } from 'vitest';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { createParty, fundingOf, signMove, termsOf } from '../../support/trust-parties.ts';
import { DELIVERABLE, FUNDS, moved, orderOf, refusal, type Scene, WORD } from './trust-scene.ts';

const HOURS_72_S = 72 * 3_600;
const DAYS_7_S = 7 * 24 * 3_600;

/** What the escrow of every chain must do. */
export function trustEscrowSuite(scene: Scene): void {
  provesFunding(scene);
  provesPayments(scene);
  provesOrphans(scene);
  provesMoves(scene);
  provesRefusals(scene);
  provesTime(scene);
}

function provesFunding(at: Scene): void {
  for (const form of ['terms', 'exact'] as const) {
    test(`a job is funded by ${form}, once, and holds exactly its amount`, async () => {
      const { trust, chain } = at.world;
      const before = await trust.escrow.readHoldings();
      const { key, buyer, provider, order } = await at.job(form);
      expect(await trust.escrow.readJob(key)).toMatchObject({
        state: 'escrowed',
        buyer: buyer.address,
        provider: provider.address,
        amount: '10000000',
        fulfilByS: order.terms.fulfilByS,
        releaseByS: 0,
      });
      const again = await trust.escrow.fund(order);
      expect(again).toMatchObject({ state: 'done', result: { key } });
      const after = await trust.escrow.readHoldings();
      expect(BigInt(after.held) - BigInt(before.held)).toBe(10_000_000n);
      expect(BigInt(after.balance) - BigInt(before.balance)).toBe(10_000_000n);
      expect(after.unaccounted).toBe(before.unaccounted);
      expect(await chain.balance(buyer.address)).toBe('90000000');
    });
  }

  test('three times at once is one job', async () => {
    const { trust, chain } = at.world;
    const parties = await at.parties();
    const order = await orderOf(at.world, parties, 'exact');
    const outcomes = await Promise.all([1, 2, 3].map(() => trust.escrow.fund(order)));
    expect(outcomes.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(await chain.balance(parties.buyer.address)).toBe('90000000');
  });
}

function provesPayments(at: Scene): void {
  test('money that is not for these terms is refused by what is wrong with it', async () => {
    const { trust, chain, nowS } = at.world;
    const { buyer, provider } = await at.parties();
    const now = await nowS();
    const terms = termsOf({ buyer, provider }, now);
    const common = { facts: chain.facts, trust, buyer, terms, nowS: now } as const;
    const exact = await fundingOf({ ...common, form: 'exact' });
    const signed = await fundingOf({ ...common, form: 'terms' });
    const stranger = createParty();
    const other = await fundingOf({ ...common, form: 'exact', buyer: stranger });
    const refused = async (order: typeof exact, code: string) => {
      expect(await trust.escrow.fund(order), code).toMatchObject(refusal(code));
    };
    await refused({ ...exact, form: 'terms' }, 'PAYMENT_MALFORMED');
    await refused({ ...signed, form: 'exact' }, 'PAYMENT_FORGED');
    await refused(other, 'PAYMENT_FORGED');
    await refused({ ...exact, terms: { ...terms, amount: '10000001' } }, 'PAYMENT_UNDERPAID');
    await refused({ ...exact, terms: { ...terms, amount: '9999999' } }, 'PAYMENT_MALFORMED');
    const elsewhere = { ...exact.authorization, to: stranger.address };
    await refused({ ...exact, authorization: elsewhere }, 'PAYMENT_WRONG_ASSET');
    await refused({ ...exact, signature: other.signature }, 'PAYMENT_FORGED');
    const renamed = { ...signed, terms: { ...terms, provider: stranger.address } };
    await refused(renamed, 'PAYMENT_MALFORMED');
    const late = await fundingOf({
      ...common,
      form: 'exact',
      overrides: { validBefore: String(now - 60) },
    });
    await refused(late, 'PAYMENT_EXPIRED');
    const soon = { ...terms, fulfilByS: now - 10 };
    await refused(await fundingOf({ ...common, form: 'exact', terms: soon }), 'INPUT_INVALID');
    const poor = createParty();
    const unpaid = termsOf({ buyer: poor, provider }, now);
    const empty = { ...common, buyer: poor, terms: unpaid, form: 'exact' } as const;
    await refused(await fundingOf(empty), 'PAYMENT_FUNDS');
    expect(await chain.balance(buyer.address)).toBe(FUNDS);
  });

  test('one payment makes one job', async () => {
    const { trust, nowS } = at.world;
    const { order, provider, buyer } = await at.job('exact');
    const terms = termsOf({ buyer, provider }, await nowS());
    expect(await trust.escrow.fund({ ...order, terms })).toMatchObject(refusal('PAYMENT_REPLAYED'));
    expect((await trust.escrow.readJob(trust.escrow.computeKey(terms))).state).toBe('none');
  });

  test('an offer whose payee is the escrow passes the checks of payments', async () => {
    const { chain, trust, nowS } = at.world;
    const payer = createPayer();
    await at.world.fund(payer.address, FUNDS);
    const offer = requirementsOf(chain.facts, { payTo: trust.contracts.escrow ?? '' });
    const now = (await nowS()) * 1_000;
    const payload = await payer.pay(offer, { now });
    expect(chain.checkLocally(payload, offer, now)).toBeUndefined();
    expect(await chain.checkOnChain(payload)).toBeUndefined();
  });
}

function provesOrphans(at: Scene): void {
  /** Somebody else brings the buyer's payment to the token first. */
  const orphaned = async () => {
    const { chain, trust } = at.world;
    const parties = await at.parties();
    const order = await orderOf(at.world, parties, 'exact');
    const offer = requirementsOf(chain.facts, {
      amount: order.terms.amount,
      payTo: trust.contracts.escrow ?? '',
    });
    const { authorization, signature } = order;
    const payload = { authorization, signature };
    const settled = await chain.settle({ x402Version: 2, accepted: offer, payload });
    expect(settled.state, JSON.stringify(settled)).toBe('settled');
    return { ...parties, order };
  };

  test('money that somebody else brought becomes the job', async () => {
    const { trust, chain } = at.world;
    const { order, buyer } = await orphaned();
    const before = await trust.escrow.readHoldings();
    expect(BigInt(before.unaccounted)).toBe(10_000_000n);
    const outcome = await trust.escrow.fund(order);
    expect(outcome.state, JSON.stringify(outcome)).toBe('done');
    expect((await trust.escrow.readJob(trust.escrow.computeKey(order.terms))).state).toBe(
      'escrowed',
    );
    expect((await trust.escrow.readHoldings()).unaccounted).toBe('0');
    expect(await trust.escrow.returnOrphan(order.authorization)).toMatchObject(
      refusal('PAYMENT_REPLAYED'),
    );
    expect(await chain.balance(buyer.address)).toBe('90000000');
  });

  test('money that became no job goes back once', async () => {
    const { trust, chain } = at.world;
    const { order, buyer } = await orphaned();
    const first = await trust.escrow.returnOrphan(order.authorization);
    expect(first.state, JSON.stringify(first)).toBe('done');
    expect(await trust.escrow.returnOrphan(order.authorization)).toEqual(first);
    expect(await chain.balance(buyer.address)).toBe(FUNDS);
    expect(await trust.escrow.fund(order)).toMatchObject(refusal('PAYMENT_REPLAYED'));
    expect((await trust.escrow.readHoldings()).unaccounted).toBe('0');
  });

  test('money that has not come is looked for as long as it may come', async () => {
    const order = await orderOf(at.world, await at.parties(), 'exact');
    const { escrow } = at.world.trust;
    expect((await escrow.returnOrphan(order.authorization)).state).toBe('unspent');
    // A remote chain says so only from a block with enough confirmations, which is some blocks old.
    const validBefore = String((await at.world.nowS()) - 60);
    const ended = { ...order.authorization, validBefore };
    expect((await escrow.returnOrphan(ended)).state).toBe('refused');
  });
}

function provesMoves(at: Scene): void {
  test('a fulfilled job is released 80 to 20, once', async () => {
    const { trust, chain } = at.world;
    const job = await at.job();
    const treasury = BigInt(await chain.balance(chain.facts.treasury));
    const fulfil = { move: 'fulfil', deliverable: DELIVERABLE } as const;
    const first = await moved(at, job, job.provider, fulfil);
    expect(first.state, JSON.stringify(first)).toBe('done');
    expect(await moved(at, job, job.provider, fulfil)).toEqual(first);
    const fulfilled = await trust.escrow.readJob(job.key);
    expect(fulfilled).toMatchObject({ state: 'fulfilled', deliverable: DELIVERABLE });
    expect(Math.abs(fulfilled.releaseByS - (await at.world.nowS()) - HOURS_72_S)).toBeLessThan(60);
    const released = await moved(at, job, job.buyer, { move: 'release' });
    expect(released.state).toBe('done');
    expect(await moved(at, job, job.buyer, { move: 'release' })).toEqual(released);
    expect(await chain.balance(job.provider.address)).toBe('8000000');
    expect(BigInt(await chain.balance(chain.facts.treasury)) - treasury).toBe(2_000_000n);
    expect((await trust.escrow.readJob(job.key)).state).toBe('released');
    expect(await moved(at, job, job.provider, { move: 'giveBack' })).toMatchObject(
      refusal('MOVE_UNAVAILABLE', { state: 'released' }),
    );
  });

  test('a provider can give the money back', async () => {
    const { chain } = at.world;
    const job = await at.job();
    expect((await moved(at, job, job.provider, { move: 'giveBack' })).state).toBe('done');
    expect(await chain.balance(job.buyer.address)).toBe(FUNDS);
  });

  test('a dispute freezes, is withdrawn, and cannot be opened again', async () => {
    const { trust } = at.world;
    const job = await at.job();
    await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
    const dispute = { move: 'dispute', reason: WORD } as const;
    expect((await moved(at, job, job.buyer, dispute)).state).toBe('done');
    expect(await trust.escrow.readJob(job.key)).toMatchObject({ state: 'disputed' });
    expect((await moved(at, job, job.buyer, { move: 'withdrawDispute' })).state).toBe('done');
    expect((await trust.escrow.readJob(job.key)).state).toBe('fulfilled');
    const second = { move: 'dispute', reason: `0x${'0f'.repeat(32)}` } as const;
    expect(await moved(at, job, job.buyer, second)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
  });

  for (const isForProvider of [true, false]) {
    test(`a verdict for the ${isForProvider ? 'provider' : 'buyer'} ends the job`, async () => {
      const { trust, chain } = at.world;
      const job = await at.job();
      await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
      await moved(at, job, job.buyer, { move: 'dispute', reason: WORD });
      const decide = { move: 'decide', isForProvider, verdict: WORD } as const;
      const outcome = await trust.escrow.move(job.key, decide);
      expect(outcome.state, JSON.stringify(outcome)).toBe('done');
      expect(await trust.escrow.move(job.key, decide)).toEqual(outcome);
      const other = { ...decide, isForProvider: !isForProvider };
      expect(await trust.escrow.move(job.key, other)).toMatchObject({ state: 'refused' });
      expect(await chain.balance(job.provider.address)).toBe(isForProvider ? '8000000' : '0');
      expect(await chain.balance(job.buyer.address)).toBe(isForProvider ? '90000000' : FUNDS);
    });
  }
}

function provesRefusals(at: Scene): void {
  test('a move without the right signature changes nothing and says what is wrong', async () => {
    const { trust } = at.world;
    const job = await at.job();
    const { key } = job;
    const release = { move: 'release' } as const;
    const byProvider = await signMove(trust, key, job.provider, release);
    const byStranger = await signMove(trust, key, createParty(), release);
    const other = await at.job();
    const forOther = await signMove(trust, other.key, job.buyer, release);
    const tried = (signature: string) => trust.escrow.move(key, { ...release, signature });
    expect(await tried(byProvider)).toMatchObject(refusal('NOT_THE_PARTY'));
    expect(await tried(byStranger)).toMatchObject(refusal('MOVE_UNSIGNED'));
    expect(await tried(forOther)).toMatchObject(refusal('MOVE_UNSIGNED'));
    expect(await tried('0x')).toMatchObject(refusal('MOVE_UNSIGNED'));
    expect((await trust.escrow.readJob(key)).state).toBe('escrowed');
  });

  test('moves of other states are refused with the state', async () => {
    const { trust } = at.world;
    const job = await at.job();
    expect(await moved(at, job, job.buyer, { move: 'dispute', reason: WORD })).toMatchObject(
      refusal('MOVE_UNAVAILABLE', { state: 'escrowed' }),
    );
    expect(await trust.escrow.move(job.key, { move: 'settleExpired' })).toMatchObject(
      refusal('MOVE_UNAVAILABLE', { state: 'escrowed' }),
    );
    expect(await trust.escrow.move(job.key, { move: 'refundUnfulfilled' })).toMatchObject(
      refusal('MOVE_UNAVAILABLE', { due_s: expect.any(Number) }),
    );
    const unknown = { ...job, key: WORD };
    expect(await moved(at, unknown, job.buyer, { move: 'release' })).toMatchObject(
      refusal('MOVE_UNAVAILABLE', { state: 'none' }),
    );
    expect((await trust.escrow.readJob(WORD)).state).toBe('none');
  });
}

function provesTime(at: Scene): void {
  test('after 72 hours anyone may have a delivered job paid', async () => {
    const { trust, chain, passS } = at.world;
    const job = await at.job();
    await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
    const settle = { move: 'settleExpired' } as const;
    expect(await trust.escrow.move(job.key, settle)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
    await passS(HOURS_72_S + 1);
    const late = { move: 'dispute', reason: WORD } as const;
    expect(await moved(at, job, job.buyer, late)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
    const outcome = await trust.escrow.move(job.key, settle);
    expect(outcome.state, JSON.stringify(outcome)).toBe('done');
    expect(await trust.escrow.move(job.key, settle)).toEqual(outcome);
    expect(await chain.balance(job.provider.address)).toBe('8000000');
  });

  test('what is never delivered goes back, and cannot be delivered late', async () => {
    const { trust, chain, passS } = at.world;
    const job = await at.job();
    await passS(3_602);
    const fulfil = { move: 'fulfil', deliverable: DELIVERABLE } as const;
    expect(await moved(at, job, job.provider, fulfil)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
    const refunded = await trust.escrow.move(job.key, { move: 'refundUnfulfilled' });
    expect(refunded.state, JSON.stringify(refunded)).toBe('done');
    expect(await chain.balance(job.buyer.address)).toBe(FUNDS);
  });

  test('a dispute that nobody decides pays nobody, and a late verdict ends it', async () => {
    const { trust, chain, passS } = at.world;
    const job = await at.job();
    await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
    await moved(at, job, job.buyer, { move: 'dispute', reason: WORD });
    const refund = { move: 'refundUndecided' } as const;
    expect(await trust.escrow.move(job.key, refund)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
    await passS(DAYS_7_S + 1);
    const state = { state: 'disputed' };
    for (const move of ['refundUndecided', 'settleExpired', 'refundUnfulfilled'] as const) {
      expect(await trust.escrow.move(job.key, { move })).toMatchObject(
        refusal('MOVE_UNAVAILABLE', state),
      );
    }
    expect(await trust.escrow.readJob(job.key)).toMatchObject({ ...state, undecidedRefundS: 0 });
    const verdict = { move: 'decide', isForProvider: false, verdict: WORD } as const;
    expect((await trust.escrow.move(job.key, verdict)).state).toBe('done');
    expect(await chain.balance(job.buyer.address)).toBe(FUNDS);
  });
}
