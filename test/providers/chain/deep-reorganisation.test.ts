import { createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { balanceBooks } from '../../../src/auditor/balance-books.ts';
import {
  createNodeClient,
  readAccounts,
  readChainBooks,
} from '../../../src/auditor/chain-books.ts';
import type { Claim } from '../../../src/auditor/event-claims.ts';
import type { NodePaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { type OpenOptions, type SecondChain, secondChain } from '../../support/second-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { createParty, fundingOf, signMove, termsOf } from '../../support/trust-parties.ts';

// A chain may be reorganised deeper than anybody waits. What was told as final is then gone: it is
// sent again as it was signed, and until it is there nobody says that it is.

// Pauses pass ten times as fast: what is waited for here is a node on the same machine.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout: typeof real.setTimeout = (delayMs = 0, value, options) =>
    real.setTimeout(delayMs / 10, value, options);
  return { ...real, setTimeout };
});
const { setInterval: every } = globalThis;
vi.stubGlobal('setInterval', (act: () => void, delayMs: number) => every(act, delayMs / 10));

let second: SecondChain;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  second = await secondChain(0);
});
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});
afterAll(() => second.close());

const SOON = { timeout: 20_000, interval: 100 };

test('a payment that was settled and is gone is settled again by the same transaction', async () => {
  const { chain, notices } = await opened();
  const payer = createPayer();
  await second.mint(payer.address, '1000000');
  const settled = await mined(chain.settle(await payer.pay(requirementsOf(chain.facts))));
  expect(settled.state).toBe('settled');
  await second.mine(2);
  await second.reorg(4);
  expect(await chain.balance(payer.address)).toBe('1000000');
  await vi.waitFor(async () => expect(await chain.balance(payer.address)).toBe('750000'), SOON);
  const { transaction } = settled as { readonly transaction: string };
  await vi.waitFor(() => expect(notices.join()).toContain('is on the chain again'), SOON);
  expect(notices.filter((line) => line.includes(transaction))).toHaveLength(2);
});

test('a release that is gone is told as undone, and is no more once it is back', async () => {
  const { chain } = await opened();
  const { job, released } = await release(chain);
  expect(chain.trust.revertedTransactions?.()).toEqual(new Set());
  await second.setMining(false);
  await second.reorg(2);
  expect(await chain.balance(job.provider.address)).toBe('0');
  const gone = new Set([released]);
  await vi.waitFor(() => expect(chain.trust.revertedTransactions?.()).toEqual(gone), SOON);
  expect((await chain.trust.escrow.readJob(job.key)).state).toBe('escrowed');
  await second.setMining(true);
  await second.mine(1);
  await vi.waitFor(() => expect(chain.trust.revertedTransactions?.()).toEqual(new Set()), SOON);
  expect(await chain.balance(job.provider.address)).toBe('8000000');
});

test('what is lost while no server runs is sent again by the next one', async () => {
  const folder = tempDir();
  undo.push(folder.remove);
  const first = await opened({ dataDir: folder.path });
  const { job } = await release(first.chain);
  await first.chain.close();
  await second.reorg(2);
  const { chain } = await opened({ dataDir: folder.path });
  const paid = async () => expect(await chain.balance(job.provider.address)).toBe('8000000');
  await vi.waitFor(paid, SOON);
});

test('what can never be sent again stays undone, and the books say so', async () => {
  const folder = tempDir();
  undo.push(folder.remove);
  const first = await opened({ dataDir: folder.path });
  const { job, released, fromBlock } = await release(first.chain);
  await first.chain.close();
  await second.reorg(2);
  // Another transaction of the same key takes the nonce of the release.
  const account = privateKeyToAccount(second.operatorKey);
  const wallet = createWalletClient({ account, chain: base, transport: http(second.rpcUrl) });
  await wallet.sendTransaction({ to: account.address, gas: 21_000n });
  const { chain, notices } = await opened({ dataDir: folder.path });
  await vi.waitFor(
    () => expect(chain.trust.revertedTransactions?.()).toEqual(new Set([released])),
    SOON,
  );
  expect(notices.join()).toContain('no money has moved');
  expect(await chain.balance(job.provider.address)).toBe('0');

  const node = createNodeClient(second.rpcUrl);
  const accounts = await readAccounts(node, second.contracts.escrow ?? '0x');
  const books = await readChainBooks(node, accounts, fromBlock);
  const amounts = { amount: 8_000_000n, fee: 2_000_000n, price: 10_000_000n };
  const claim: Claim = {
    ...amounts,
    type: 'job.released',
    ref: 'job',
    seq: 1,
    transaction: released,
    isEscrow: true,
  };
  const whats = balanceBooks(books, [claim]).differences.map(({ what }) => what);
  expect(whats).toContain('job.released is in the feed but the escrow did not emit it');
});

/** Opens the chain as a server that waits for two blocks, and follows the jobs. */
async function opened(options: OpenOptions = {}) {
  const notices: string[] = [];
  const notice = (line: string) => void notices.push(line);
  const chain = await second.open({ confirmations: 2, ...options, notice });
  undo.push(() => chain.close().catch(() => undefined));
  return { chain, notices };
}

/** A job of ten dollars that was released, and told as that. */
async function release(chain: NodePaymentChain) {
  const { facts, trust } = chain;
  const fromBlock = Number(await nodeRpc<Hex>(second.rpcUrl, 'eth_blockNumber'));
  const [buyer, provider] = [createParty(), createParty()];
  await second.mint(buyer.address, '10000000');
  const nowS = await trust.nowS();
  const terms = termsOf({ buyer, provider }, nowS);
  const key = trust.escrow.computeKey(terms);
  const told: string[] = [];
  const end = trust.escrow.subscribe(fromBlock, async (logs) => {
    const ours = logs.filter((log) => log.key === key && log.event.name === 'JobReleased');
    told.push(...ours.map(({ transaction }) => transaction));
  });
  undo.push(end);
  const order = await fundingOf({ facts, trust, buyer, terms, form: 'exact', nowS });
  expect((await mined(trust.escrow.fund(order))).state).toBe('done');
  const signature = await signMove(trust, key, buyer, { move: 'release' });
  const move = { move: 'release', signature } as const;
  expect((await mined(trust.escrow.move(key, move))).state).toBe('done');
  await vi.waitFor(() => expect(told).toHaveLength(1), SOON);
  return { job: { key, provider }, released: told[0] ?? '', fromBlock };
}

/** Makes a block on top of what is sent, as others do. */
async function mined<Result>(sending: Promise<Result>): Promise<Result> {
  let isOver = false;
  const result = sending.finally(() => {
    isOver = true;
  });
  const count = () => nodeRpc<Hex>(second.rpcUrl, 'eth_blockNumber').then(Number);
  const before = await count();
  await vi.waitFor(async () => expect(isOver || (await count()) > before).toBe(true), SOON);
  if (!isOver) await second.mine(1);
  return result;
}
