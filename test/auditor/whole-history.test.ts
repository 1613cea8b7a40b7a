import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditBooks } from '../../src/auditor/audit-books.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../src/providers/payment/payment-chain.ts';
import { type AuditedChain, auditedChain } from '../support/audited-chain.ts';
import { expectAudited } from '../support/books.ts';
import { forgetFirstBlocks } from '../support/chain-load.ts';
import { type EventFeedServer, eventFeedServer } from '../support/event-feed-server.ts';
import { tempDir } from '../support/temp-dir.ts';

const folder = tempDir();
let chain: NodePaymentChain;
let feed: EventFeedServer;
let audited: AuditedChain;

beforeAll(async () => {
  const options = { dataDir: folder.path, now: Date.now, notice: () => undefined };
  chain = await openPaymentChain({ kind: 'local', ...options, checkpointRows: 40 });
  feed = await eventFeedServer(500);
  audited = await auditedChain(chain, feed);
  await audited.job('release');
  await audited.job('none');
  const first = await audited.pay('300000');
  await audited.refund('300000', first);
  for (let paid = 0; paid < 30; paid += 1) await audited.pay('1000');
  await forgetFirstBlocks(chain);
  for (let paid = 0; paid < 10; paid += 1) await audited.pay('1000');
}, 60_000);
afterAll(async () => {
  await feed.close();
  await chain.close();
  folder.remove();
});

const at = (rpcUrl: string | undefined) => ({
  rpcUrl: rpcUrl ?? '',
  eventsUrl: feed.url,
  fromBlock: 0,
  waitMs: 0,
});

test('a node that has forgotten blocks is not taken for the whole', async () => {
  const told = await auditBooks(at(chain.facts.rpcUrl));
  expect(told).toMatchObject({ isWhole: false, isBalanced: false });
});

test('the chain that keeps its logs is audited over all of its past, with its escrow found', async () => {
  const told = await expectAudited({ rpcUrl: chain.historyUrl ?? '', eventsUrl: feed.url });
  expect(told).toMatchObject({
    in: 20_410_000n,
    paidOut: 8_000_000n,
    refunded: 300_000n,
    openJobs: 10_000_000n,
    accounts: { escrow: chain.trust.contracts.escrow?.toLowerCase() },
  });
});

test('a payment of a forgotten block that the feed leaves out is missed', async () => {
  const { events } = feed;
  feed.events = events.filter(({ type }) => type !== 'settlement.refunded');
  const told = await auditBooks(at(chain.historyUrl));
  feed.events = events;
  expect(told.differences).toMatchObject([
    { what: 'money left without an event in the feed', found: '300000' },
  ]);
});
