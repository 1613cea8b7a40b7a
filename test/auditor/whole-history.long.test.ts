import { expect, test } from 'vitest';
import { openPaymentChain } from '../../src/providers/payment/payment-chain.ts';
import { auditedChain } from '../support/audited-chain.ts';
import { expectAudited } from '../support/books.ts';
import { chainBytes, loadPayer, settleMany } from '../support/chain-load.ts';
import { eventFeedServer } from '../support/event-feed-server.ts';
import { nodeRpc } from '../support/node-rpc.ts';
import { tempDir } from '../support/temp-dir.ts';

const COUNT = 3_000;

test('3,000 small settlements and the jobs before them balance over all history, after restarts too', {
  timeout: 300_000,
}, async () => {
  const folder = tempDir();
  const feed = await eventFeedServer(1_000);
  const options = { dataDir: folder.path, now: Date.now, notice: () => undefined };
  const open = () => openPaymentChain({ kind: 'local', ...options });
  let chain = await open();
  const audited = await auditedChain(chain, feed);
  for (const end of ['release', 'giveBack', 'none'] as const) await audited.job(end);
  const { pay } = await loadPayer(chain, COUNT);
  const load = { count: COUNT, every: 1, lanes: 32 };
  for (const { transaction } of await settleMany(chain, pay, load)) {
    const facts = { fee_bps: 2000, fee: '200', transaction };
    audited.tell('settlement.settled', { price: '1000', ...facts });
  }
  const expected = { in: 33_000_000n, paidOut: 8_000_000n, refunded: 10_000_000n };
  for (const life of ['before', 'after'] as const) {
    const first = await nodeRpc(chain.facts.rpcUrl, 'eth_getBlockByNumber', '0x1', false);
    expect(first, 'the node has forgotten').toBeNull();
    const where = { rpcUrl: chain.historyUrl ?? '', eventsUrl: feed.url };
    expect(await expectAudited(where, { hint: `${life} a restart` })).toMatchObject(expected);
    await chain.close();
    chain = await open();
  }
  // What the logs of a settlement take on disk.
  expect(chainBytes(folder.path).logs / COUNT).toBeLessThan(400);
  await chain.close();
  await feed.close();
  folder.remove();
});
