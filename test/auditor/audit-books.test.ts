import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Audited, auditBooks } from '../../src/auditor/audit-books.ts';
import type { PublicEvent } from '../../src/domain/ports/event-log.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../src/providers/chain/payment-chain.ts';
import { type EventFeedServer, eventFeedServer } from '../support/event-feed-server.ts';
import { createPayer, requirementsOf } from '../support/payer.ts';
import { tempDir } from '../support/temp-dir.ts';
import { createParty, fundingOf, type Party, signMove, termsOf } from '../support/trust-parties.ts';

const folder = tempDir();
let chain: NodePaymentChain;
let feed: EventFeedServer;
let honest: PublicEvent[];

beforeAll(async () => {
  const notice = () => undefined;
  chain = await openPaymentChain({ kind: 'local', dataDir: folder.path, now: Date.now, notice });
  feed = await eventFeedServer();
  await liveThrough();
  honest = [...feed.events];
}, 60_000);
beforeEach(() => {
  feed.events = [...honest];
});
afterAll(async () => {
  await feed.close();
  await chain.close();
  folder.remove();
});

test('honest books balance to the micro-dollar', async () => {
  const audited = await audit();
  expect(audited.differences).toEqual([]);
  expect(audited).toMatchObject({
    ...{ isBalanced: true, isWhole: true, in: 31_000_000n, paidOut: 8_800_000n },
    ...{ refunded: 10_300_000n, held: 10_000_000n, openJobs: 10_000_000n, unaccounted: 0n },
  });
  const { paidOut, refunded, kept, held } = audited;
  expect(paidOut + refunded + kept + held).toBe(audited.in);
});

test('the escrow can be named, and gives the same', async () => {
  const escrow = chain.trust.contracts.escrow as `0x${string}`;
  expect(await audit({ escrow })).toEqual(await audit());
});

test('a payment that is told and never came is a difference', async () => {
  const [first] = honest.filter(({ type }) => type === 'settlement.settled');
  feed.tell({ ...(first as PublicEvent), ref: 'invented' });
  expect(whatOf(await audit())).toEqual(['settlement.settled is told and is not on the chain']);
});

test('an amount that is told wrong is a difference, both ways', async () => {
  change('settlement.refunded', { amount: '300001' });
  expect(whatOf(await audit())).toEqual([
    'settlement.refunded is told and is not on the chain',
    'money went out and nothing tells it',
  ]);
});

test('a fee that is told wrong is a difference', async () => {
  change('job.released', { fee: '1' });
  expect(whatOf(await audit())).toContain('job.released is told and the escrow did not say it');
});

for (const [type, what] of [
  ['job.escrowed', 'the escrow said it and nothing tells it (JobEscrowed)'],
  ['job.refunded', 'the escrow said it and nothing tells it (JobRefunded)'],
  ['settlement.refunded', 'money went out and nothing tells it'],
] as const) {
  test(`a ${type} that is left out is a difference`, async () => {
    feed.events = honest.filter((event) => event.type !== type);
    expect(whatOf(await audit())).toContain(what);
  });
}

test('a transfer that two events claim is a difference', async () => {
  const released = honest.find(({ data }) => data['funding'] === 'on_release');
  feed.tell(released as PublicEvent);
  expect(whatOf(await audit())).toEqual(['job.released is told and is not on the chain']);
});

test('a feed that lags is waited for', async () => {
  const late = feed.events.pop() as PublicEvent;
  setTimeout(() => void feed.events.push(late), 800);
  expect((await audit({ waitMs: 5_000 })).isBalanced).toBe(true);
});

test('without a feed and without a node it says which one is missing', async () => {
  const order = { fromBlock: 0, waitMs: 0, eventsUrl: feed.url, rpcUrl: chain.facts.rpcUrl };
  const nowhere = 'http://127.0.0.1:9';
  await expect(auditBooks({ ...order, eventsUrl: nowhere })).rejects.toMatchObject({
    code: 'EGRESS_FAILED',
  });
  await expect(auditBooks({ ...order, rpcUrl: nowhere })).rejects.toMatchObject({
    code: 'CHAIN_UNAVAILABLE',
  });
});

function audit(overrides: { waitMs?: number; escrow?: `0x${string}` } = {}): Promise<Audited> {
  const where = { rpcUrl: chain.facts.rpcUrl, eventsUrl: feed.url };
  return auditBooks({ ...where, fromBlock: 0, waitMs: 0, ...overrides });
}

function whatOf({ isBalanced, differences }: Audited): string[] {
  expect(isBalanced).toBe(false);
  return differences.map(({ what }) => what);
}

function change(type: string, data: Readonly<Record<string, string>>): void {
  feed.events = honest.map((event) =>
    event.type === type ? { ...event, data: { ...event.data, ...data } } : event,
  );
}

/** Two payments, one refunded; three escrowed jobs; one job that is paid on release. */
async function liveThrough(): Promise<void> {
  const payer = createPayer();
  await chain.faucet(payer.address, '100000000');
  const price = async (amount: string) => {
    const payload = await payer.pay(requirementsOf(chain.facts, { amount }));
    const { transaction } = settled(await chain.settle(payload));
    tell('settlement.settled', { price: amount, fee_bps: 2000, fee: '1', transaction });
    return transaction;
  };
  const first = await price('300000');
  await price('700000');
  const refund = { to: payer.address, amount: '300000', token: 'refund' };
  const { transaction } = settled(await chain.transfer(refund));
  const because = { reason: 'failed', settlement_transaction: first };
  tell('settlement.refunded', { amount: '300000', transaction, ...because });
  for (const end of ['release', 'giveBack', 'none'] as const) await job(end);
  // Of the second payment four fifths go on to a provider.
  const share = { to: createParty().address, amount: '800000', token: 'share' };
  const paid = settled(await chain.transfer({ ...share, amount: '800000' }));
  const parties = { buyer: payer.address.toLowerCase(), provider: share.to };
  released({ ...parties, funding: 'on_release', price: '1000000' }, paid.transaction, '800000');
}

async function job(end: 'release' | 'giveBack' | 'none'): Promise<void> {
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
  const key = trust.escrow.keyOf(terms);
  const signature = await signMove(trust, key, by, { move: end });
  const { transaction } = settled(await trust.escrow.move(key, { move: end, signature }));
  if (end === 'release') released(about, transaction, '8000000');
  else tell('job.refunded', { ...about, amount: terms.amount, transaction, reason: 'given_back' });
}

function released(
  about: Readonly<Record<string, string | null>> & { price: string },
  transaction: string,
  net: string,
): void {
  const fee = (BigInt(about.price) - BigInt(net)).toString();
  const facts = { net, fee, fee_bps: 2000, transaction, is_automatic: false, is_late: false };
  tell('job.released', { ...about, bid_id: null, deliverable_sha256: null, ...facts });
}

function tell(type: string, data: Readonly<Record<string, string | number | boolean | null>>) {
  const place = { network: chain.facts.network, tool: 'test' };
  const all = type.startsWith('settlement') ? { ...place, ...data } : data;
  feed.tell({ type, ref: `ref ${feed.events.length}`, subjects: [], data: all });
}

function settled(outcome: object): { readonly transaction: string } {
  expect(outcome, JSON.stringify(outcome)).toHaveProperty('transaction');
  return outcome as { readonly transaction: string };
}
