import { randomBytes } from 'node:crypto';
import { hashTypedData, toHex, verifyTypedData } from 'viem';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashJson } from '../../../src/domain/hash.ts';
import type { PaymentChain } from '../../../src/domain/ports/payment-chain.ts';
import type { EscrowLog, TrustChain } from '../../../src/domain/ports/trust-chain.ts';
import { statementData } from '../../../src/domain/wallet/statement.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import {
  createParty,
  fundingOf,
  type Party,
  signMove,
  termsOf,
} from '../../support/trust-parties.ts';

/** A chain with its contracts, and a hand on its clock. */
export interface TrustWorld {
  readonly chain: PaymentChain;
  readonly trust: TrustChain;
  readonly nowS: () => Promise<number>;
  readonly passS: (seconds: number) => Promise<void>;
  readonly fund: (address: string, amount: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const FUNDS = '100000000';
const DELIVERABLE = `0x${'d1'.repeat(32)}`;
const WORD = `0x${'0e'.repeat(32)}`;
const HOURS_72_S = 72 * 3_600;
const DAYS_7_S = 7 * 24 * 3_600;

/** What every chain of trust must do. `open` gives a fresh one; it is closed at the end. */
export function trustChainSuite(
  name: string,
  open: () => Promise<TrustWorld>,
  timeoutMs = 30_000,
): void {
  describe(`${name} as a chain of trust`, { timeout: timeoutMs }, () => {
    const scene = openScene(open, timeoutMs);
    provesIdentity(scene);
    provesFunding(scene);
    provesPayments(scene);
    provesOrphans(scene);
    provesMoves(scene);
    provesRefusals(scene);
    provesTime(scene);
    provesLogs(scene);
    provesAnchors(scene);
    provesSignatures(scene);
  });
}

interface Scene {
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

function openScene(open: () => Promise<TrustWorld>, timeoutMs: number): Scene {
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
      return { key: world.trust.escrow.keyOf(order.terms), buyer, provider, order };
    },
  };
}

async function orderOf(
  { chain, trust, nowS }: TrustWorld,
  parties: { readonly buyer: Party; readonly provider: Party },
  form: 'terms' | 'exact',
) {
  const now = await nowS();
  const terms = termsOf(parties, now);
  const { buyer } = parties;
  return fundingOf({ facts: chain.facts, trust, buyer, terms, form, nowS: now });
}

async function moved(
  { world: { trust } }: Scene,
  { key }: Job,
  by: Party,
  move: Parameters<typeof signMove>[3],
) {
  const signature = await signMove(trust, key, by, move);
  return trust.escrow.move(key, { ...move, signature });
}

function provesIdentity(at: Scene): void {
  test('an agent is minted once for each token, and belongs to the operator', async () => {
    const { trust } = at.world;
    const order = { token: toHex(randomBytes(8)), uri: 'https://a.example/agent.json' };
    const metadata = { agentName: 'tester', agentClass: 'worker' };
    const first = await trust.identity.register({ ...order, metadata });
    expect(first).toMatchObject({ state: 'done', result: { agentId: expect.any(String) } });
    expect(await trust.identity.register({ ...order, metadata })).toEqual(first);
    const { agentId } = resultOf(first);
    expect(await trust.identity.read(agentId)).toEqual({
      ...{ agentId, owner: trust.operator, wallet: null, uri: order.uri },
    });
    expect(await trust.identity.metadata(agentId, 'agentName')).toBe('tester');
    expect(await trust.identity.metadata(agentId, 'nothing')).toBe('');
    const other = await trust.identity.register({ ...order, token: 'another', metadata });
    expect(resultOf(other).agentId).not.toBe(agentId);
  });

  test('an id that was never given is nobody', async () => {
    const { identity } = at.world.trust;
    expect(await identity.read('999999')).toBeUndefined();
    expect(await identity.read('no number')).toBeUndefined();
    expect(await identity.setUri('999999', 'x')).toMatchObject(refusal('PASSPORT_UNKNOWN'));
    expect(await identity.transfer('999999', createParty().address)).toMatchObject(
      refusal('PASSPORT_UNKNOWN'),
    );
  });

  test('a wallet is bound by its own signature and leaves with the owner', async () => {
    const { trust, nowS } = at.world;
    const { identity } = trust;
    const { agentId } = await mint(at);
    const wallet = createParty();
    const deadlineS = (await nowS()) + 240;
    const owner = trust.operator;
    const request = { agentId, wallet: wallet.address, owner, deadlineS };
    const signature = await wallet.sign(identity.walletRequest(request));
    const forged = await createParty().sign(identity.walletRequest(request));
    const order = { agentId, wallet: wallet.address, deadlineS };
    expect(await identity.setWallet({ ...order, signature: forged })).toMatchObject(
      refusal('WALLET_FORGED'),
    );
    const far = { ...order, deadlineS: deadlineS + 3_600, signature };
    expect(await identity.setWallet(far)).toMatchObject(refusal('WALLET_EXPIRED'));
    const past = { ...order, deadlineS: deadlineS - 3_600, signature };
    expect(await identity.setWallet(past)).toMatchObject(refusal('WALLET_EXPIRED'));
    expect(await identity.setWallet({ ...order, signature })).toMatchObject({ state: 'done' });
    expect((await identity.read(agentId))?.wallet).toBe(wallet.address);
    const handed = await identity.transfer(agentId, wallet.address);
    expect(handed.state).toBe('done');
    expect(await identity.read(agentId)).toMatchObject({ owner: wallet.address, wallet: null });
    expect(await identity.transfer(agentId, wallet.address)).toEqual(handed);
    expect(await identity.transfer(agentId, createParty().address)).toMatchObject(
      refusal('NOT_THE_PARTY'),
    );
    expect(await identity.setUri(agentId, 'x')).toMatchObject(refusal('NOT_THE_PARTY'));
  });

  test('a location can change and change back', async () => {
    const { identity } = at.world.trust;
    const { agentId } = await mint(at);
    for (const uri of ['https://b.example/', 'https://c.example/', 'https://b.example/']) {
      expect((await identity.setUri(agentId, uri)).state).toBe('done');
      expect((await identity.read(agentId))?.uri).toBe(uri);
    }
  });
}

async function mint(at: Scene): Promise<{ readonly agentId: string }> {
  const token = toHex(randomBytes(8));
  return resultOf(await at.world.trust.identity.register({ token, uri: 'data:,', metadata: {} }));
}

function provesFunding(at: Scene): void {
  for (const form of ['terms', 'exact'] as const) {
    test(`a job is funded by ${form}, once, and holds exactly its amount`, async () => {
      const { trust, chain } = at.world;
      const before = await trust.escrow.holdings();
      const { key, buyer, provider, order } = await at.job(form);
      expect(await trust.escrow.job(key)).toMatchObject({
        ...{ state: 'escrowed', buyer: buyer.address, provider: provider.address },
        ...{ amount: '10000000', fulfilByS: order.terms.fulfilByS, releaseByS: 0 },
      });
      const again = await trust.escrow.fund(order);
      expect(again).toMatchObject({ state: 'done', result: { key } });
      const after = await trust.escrow.holdings();
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
      ...{ ...common, form: 'exact', overrides: { validBefore: String(now - 60) } },
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
    expect((await trust.escrow.job(trust.escrow.keyOf(terms))).state).toBe('none');
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
      ...{ amount: order.terms.amount, payTo: trust.contracts.escrow ?? '' },
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
    const before = await trust.escrow.holdings();
    expect(BigInt(before.unaccounted)).toBe(10_000_000n);
    const outcome = await trust.escrow.fund(order);
    expect(outcome.state, JSON.stringify(outcome)).toBe('done');
    expect((await trust.escrow.job(trust.escrow.keyOf(order.terms))).state).toBe('escrowed');
    expect((await trust.escrow.holdings()).unaccounted).toBe('0');
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
    expect((await trust.escrow.holdings()).unaccounted).toBe('0');
  });

  test('what never came cannot go back', async () => {
    const order = await orderOf(at.world, await at.parties(), 'exact');
    expect((await at.world.trust.escrow.returnOrphan(order.authorization)).state).toBe('refused');
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
    const fulfilled = await trust.escrow.job(job.key);
    expect(fulfilled).toMatchObject({ state: 'fulfilled', deliverable: DELIVERABLE });
    expect(Math.abs(fulfilled.releaseByS - (await at.world.nowS()) - HOURS_72_S)).toBeLessThan(60);
    const released = await moved(at, job, job.buyer, { move: 'release' });
    expect(released.state).toBe('done');
    expect(await moved(at, job, job.buyer, { move: 'release' })).toEqual(released);
    expect(await chain.balance(job.provider.address)).toBe('8000000');
    expect(BigInt(await chain.balance(chain.facts.treasury)) - treasury).toBe(2_000_000n);
    expect((await trust.escrow.job(job.key)).state).toBe('released');
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
    expect(await trust.escrow.job(job.key)).toMatchObject({ state: 'disputed' });
    expect((await moved(at, job, job.buyer, { move: 'withdrawDispute' })).state).toBe('done');
    expect((await trust.escrow.job(job.key)).state).toBe('fulfilled');
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
    expect((await trust.escrow.job(key)).state).toBe('escrowed');
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
    expect((await trust.escrow.job(WORD)).state).toBe('none');
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

  test('a dispute that nobody decides goes back after seven days', async () => {
    const { trust, chain, passS } = at.world;
    const job = await at.job();
    await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
    await moved(at, job, job.buyer, { move: 'dispute', reason: WORD });
    const refund = { move: 'refundUndecided' } as const;
    expect(await trust.escrow.move(job.key, refund)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
    await passS(DAYS_7_S + 1);
    expect((await trust.escrow.move(job.key, refund)).state).toBe('done');
    expect(await chain.balance(job.buyer.address)).toBe(FUNDS);
  });
}

function provesLogs(at: Scene): void {
  test('followers hear each confirmed log once, in order, and again while they reject', async () => {
    const { trust } = at.world;
    const { upTo } = await trust.escrow.logs(0);
    const heard: EscrowLog[] = [];
    let rejections = 2;
    const end = trust.escrow.follow(upTo + 1, async (logs) => {
      const isOurs = logs.some(({ block }) => block > upTo);
      if (isOurs && rejections > 0) {
        rejections -= 1;
        throw new Error('not now');
      }
      heard.push(...logs);
    });
    const job = await at.job('exact');
    await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
    await moved(at, job, job.buyer, { move: 'release' });
    const mine = () => heard.filter(({ key }) => key === job.key);
    await vi.waitFor(() => expect(mine()).toHaveLength(3), { timeout: 20_000, interval: 50 });
    end();
    expect(rejections).toBe(0);
    expect(mine().map(({ event }) => event)).toEqual([
      { name: 'JobEscrowed', jobId: job.order.terms.jobId, amount: '10000000' },
      { name: 'JobFulfilled', deliverable: DELIVERABLE, releaseByS: expect.any(Number) },
      {
        ...{ name: 'JobReleased', provider: job.provider.address },
        ...{ net: '8000000', fee: '2000000', isAutomatic: false },
      },
    ]);
    const all = await trust.escrow.logs(upTo + 1);
    expect(all.logs.filter(({ key }) => key === job.key)).toEqual(mine());
    for (const log of mine()) {
      expect(log.blockHash).toMatch(/^0x[0-9a-f]{64}$/);
      expect(Math.abs(log.atS - (await at.world.nowS()))).toBeLessThan(120);
    }
  });
}

function provesAnchors(at: Scene): void {
  test('anchors only grow, and each size is covered by the first that reaches it', async () => {
    const { anchor } = at.world.trust;
    expect(await anchor.latest()).toBeUndefined();
    expect(await anchor.covering(1)).toBeUndefined();
    const root = (size: number) => `0x${size.toString(16).padStart(64, '0')}`;
    const first = await anchor.anchor(5, root(5));
    expect(first.state).toBe('done');
    expect(await anchor.anchor(5, root(5))).toEqual(first);
    expect((await anchor.anchor(9, root(9))).state).toBe('done');
    expect(await anchor.anchor(9, root(10))).toMatchObject(refusal('SEQ_CONFLICT'));
    expect(await anchor.anchor(7, root(7))).toMatchObject(
      refusal('SEQ_CONFLICT', { received: 7, anchored: 9 }),
    );
    expect(await anchor.latest()).toEqual({ size: 9, root: root(9) });
    expect(await anchor.covering(5)).toMatchObject({ size: 5, root: root(5) });
    expect(await anchor.covering(6)).toMatchObject({ size: 9, root: root(9) });
    expect(await anchor.covering(10)).toBeUndefined();
  });
}

function provesSignatures(at: Scene): void {
  test('a signature is told from a forged one, by the digest that viem makes', async () => {
    const { trust } = at.world;
    const wallet = createParty();
    const data = trust.escrow.moveRequest(WORD, { move: 'dispute', reason: DELIVERABLE });
    const signature = await wallet.sign(data);
    expect(await trust.isSignedBy(wallet.address, data, signature)).toBe(true);
    expect(await trust.isSignedBy(createParty().address, data, signature)).toBe(false);
    const other = trust.escrow.moveRequest(WORD, { move: 'release' });
    expect(await trust.isSignedBy(wallet.address, other, signature)).toBe(false);
    expect(await trust.isSignedBy(wallet.address, data, '0x')).toBe(false);
    expect(await trust.isSignedBy(wallet.address, data, 'no hex')).toBe(false);
    expect(hashTypedData(data as never)).toMatch(/^0x/);
  });

  test('a statement is signed by the treasury over the hash of its payload', async () => {
    const { trust, chain } = at.world;
    const payload = { subject: 'agent', score: 1 };
    const signed = trust.signStatement({ kind: 'test_report', payload, issuedAt: 0 });
    expect(signed).toMatchObject({
      ...{ kind: 'test_report', issued_at: '1970-01-01T00:00:00.000Z' },
      payload_hash: hashJson(payload),
      signature: { alg: 'eip712', signer: chain.facts.treasury, chain_id: chain.facts.chainId },
    });
    const { value, signer } = signed.signature;
    const data = { ...statementData(signed, chain.facts.chainId), address: signer };
    expect(await verifyTypedData({ ...data, signature: value } as never)).toBe(true);
  });

  test('the retired platform has no market', async () => {
    expect(await at.world.trust.markets()).toMatchObject({ count: '0' });
  });
}

function refusal(code: string, data?: Readonly<Record<string, unknown>>) {
  const fault = data === undefined ? { code } : { code, data };
  return { state: 'refused', fault };
}

function resultOf<Result>(
  outcome: { readonly state: string } | { readonly result: Result },
): Result {
  expect(outcome, JSON.stringify(outcome)).toHaveProperty('result');
  return (outcome as { readonly result: Result }).result;
}
