import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { auditBooks, type BooksAuditResult } from '../../src/auditor/audit-books.ts';
import type { PublicEvent } from '../../src/domain/event/event-log.ts';
import { ESCROW_ABI } from '../../src/providers/chain/trust/abi.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../src/providers/payment/payment-chain.ts';
import { auditedChain } from '../support/audited-chain.ts';
import { type EventFeedServer, eventFeedServer } from '../support/event-feed-server.ts';
import { sendAsStranger } from '../support/node-rpc.ts';
import { tempDir } from '../support/temp-dir.ts';
import { createParty, fundingOf, termsOf } from '../support/trust-parties.ts';

const TRANSFER_FROM = parseAbi(['function transferFrom(address from, address to, uint256 value)']);

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
    isBalanced: true,
    isWhole: true,
    in: 31_000_000n,
    paidOut: 8_800_000n,
    refunded: 10_300_000n,
    held: 10_000_000n,
    openJobs: 10_000_000n,
    unaccounted: 0n,
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
  expect(whatOf(await audit())).toEqual(['settlement.settled is in the feed but not on the chain']);
});

test('an amount that is told wrong is a difference, both ways', async () => {
  change('settlement.refunded', { amount: '300001' });
  expect(whatOf(await audit())).toEqual([
    'settlement.refunded is in the feed but not on the chain',
    'money left without an event in the feed',
  ]);
});

test('a fee that is told wrong is a difference', async () => {
  change('job.released', { fee: '1' });
  expect(whatOf(await audit())).toContain(
    'job.released is in the feed but the escrow did not emit it',
  );
});

for (const [type, what] of [
  ['job.escrowed', 'the escrow emitted an event that is not in the feed (JobEscrowed)'],
  ['job.refunded', 'the escrow emitted an event that is not in the feed (JobRefunded)'],
  ['settlement.refunded', 'money left without an event in the feed'],
] as const) {
  test(`a ${type} that is left out is a difference`, async () => {
    feed.events = honest.filter((event) => event.type !== type);
    expect(whatOf(await audit())).toContain(what);
  });
}

test('a transfer that two events claim is a difference', async () => {
  const released = honest.find(({ data }) => data['funding'] === 'on_release');
  feed.tell(released as PublicEvent);
  expect(whatOf(await audit())).toEqual(['job.released is in the feed but not on the chain']);
});

test('a feed that lags is waited for', async () => {
  const late = feed.events.pop() as PublicEvent;
  setTimeout(() => void feed.events.push(late), 800);
  expect((await audit({ waitMs: 5_000 })).isBalanced).toBe(true);
});

test('what strangers do at the addresses of the server is no difference', async () => {
  const { facts, trust } = chain;
  const before = await audit();
  const stranger = createParty();
  const from = stranger.address;
  const nothing = { abi: TRANSFER_FROM, functionName: 'transferFrom' } as const;
  for (const ours of [facts.treasury, trust.contracts.escrow ?? '']) {
    const data = encodeFunctionData({ ...nothing, args: [ours as Hex, from as Hex, 0n] });
    await sendAsStranger(facts.rpcUrl, { from, to: facts.token, data });
  }
  await chain.faucet(from, '1000000');
  const nowS = await trust.nowS();
  const terms = termsOf({ buyer: stranger, provider: stranger }, nowS, { amount: '1' });
  const funding = { facts, trust, buyer: stranger, terms, nowS };
  const { authorization, signature } = await fundingOf({ ...funding, form: 'terms' });
  const { validAfter, validBefore } = authorization;
  const [jobId, buyer, provider] = [terms.jobId, terms.buyer, terms.provider] as Hex[];
  const data = encodeFunctionData({
    abi: ESCROW_ABI,
    functionName: 'fundWithAuthorization',
    args: [
      { jobId, buyer, provider, amount: 1n, fulfilBy: terms.fulfilByS },
      ...[BigInt(validAfter), BigInt(validBefore), signature],
    ] as never,
  });
  await sendAsStranger(facts.rpcUrl, { from, to: trust.contracts.escrow ?? '', data });
  const after = await audit();
  expect(after.differences).toEqual([]);
  expect(after).toMatchObject({
    isBalanced: true,
    thirdPartyJobs: before.thirdPartyJobs + 1,
    openJobs: before.openJobs + 1n,
  });
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

function audit(
  overrides: { waitMs?: number; escrow?: `0x${string}` } = {},
): Promise<BooksAuditResult> {
  const where = { rpcUrl: chain.facts.rpcUrl, eventsUrl: feed.url };
  return auditBooks({ ...where, fromBlock: 0, waitMs: 0, ...overrides });
}

function whatOf({ isBalanced, differences }: BooksAuditResult): string[] {
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
  const audited = await auditedChain(chain, feed);
  const first = await audited.pay('300000');
  await audited.pay('700000');
  await audited.refund('300000', first);
  for (const end of ['release', 'giveBack', 'none'] as const) await audited.job(end);
  // Of the second payment a part goes on to a provider.
  await audited.share('1000000', '800000');
}
