import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EscrowLog } from '../../../src/domain/chain/trust-chain.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { nodeRpc, rpcProxy } from '../../support/node-rpc.ts';
import { type OpenOptions, type SecondChain, secondChain } from '../../support/second-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { createParty, fundingOf, termsOf } from '../../support/trust-parties.ts';
import { twoNodes } from '../../support/two-nodes.ts';

let second: SecondChain;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  second = await secondChain(0);
}, 60_000);
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
  await second.setMining(true);
});
afterAll(() => second.close());

const NEW_AGENT = { uri: 'data:,', metadata: {} };

describe('with a node that loses messages', () => {
  for (const when of ['before', 'after'] as const) {
    test(`an agent is minted once when the answer is lost ${when} the call arrived`, async () => {
      const proxy = await rpcProxy(second.rpcUrl);
      const chain = await opened({ via: proxy.url, confirmations: 1, patienceMs: 300 });
      undo.push(proxy.close);
      const order = { token: `lost ${when}`, ...NEW_AGENT };
      proxy.lose('eth_sendRawTransaction', when);
      expect((await chain.trust.identity.register(order)).state).toBe('unknown');
      proxy.heal();
      const found = await chain.trust.identity.register(order);
      expect(found.state, JSON.stringify(found)).toBe('done');
      expect(await chain.trust.identity.register(order)).toEqual(found);
      const next = await chain.trust.identity.register({ token: `next ${when}`, ...NEW_AGENT });
      expect(idOf(next)).toBe(idOf(found) + 1);
    });
  }

  test('money whose answer is lost is escrowed once', async () => {
    const proxy = await rpcProxy(second.rpcUrl);
    const chain = await opened({ via: proxy.url, confirmations: 1, patienceMs: 300 });
    undo.push(proxy.close);
    const { order, buyer } = await funding(chain);
    proxy.lose('eth_sendRawTransaction', 'after');
    expect((await chain.trust.escrow.fund(order)).state).toBe('unknown');
    proxy.heal();
    expect((await chain.trust.escrow.fund(order)).state).toBe('done');
    expect(await chain.balance(buyer.address)).toBe('90000000');
  });

  test('without a node reads and calls say so, and nothing is sent', async () => {
    const proxy = await rpcProxy(second.rpcUrl);
    const chain = await opened({ via: proxy.url, confirmations: 1 });
    const { order } = await funding(chain);
    await proxy.close();
    const { escrow, identity } = chain.trust;
    const down = { code: 'CHAIN_UNAVAILABLE' };
    await expect(escrow.fund(order)).rejects.toMatchObject(down);
    await expect(escrow.readJob(escrow.computeKey(order.terms))).rejects.toMatchObject(down);
    await expect(identity.register({ token: 'down', ...NEW_AGENT })).rejects.toMatchObject(down);
  });

  test('a second process finds what the first one minted', async () => {
    const folder = tempDir();
    undo.push(folder.remove);
    const first = await opened({ dataDir: folder.path, confirmations: 1 });
    const order = { token: 'two lives', ...NEW_AGENT };
    const minted = await first.trust.identity.register(order);
    await first.close();
    const again = await opened({ dataDir: folder.path, confirmations: 1 });
    expect(await again.trust.identity.register(order)).toEqual(minted);
  });
});

describe('on a chain that is reorganised', () => {
  for (const depth of [1, 2, 3]) {
    test(`a job in a block that is dropped ${depth} deep was never told, and comes again`, async () => {
      const chain = await opened({ confirmations: depth + 1, patienceMs: 400 });
      const { order } = await funding(chain);
      const key = chain.trust.escrow.computeKey(order.terms);
      const heard = await listen(chain, key);
      expect((await chain.trust.escrow.fund(order)).state).toBe('unknown');
      await second.mine(depth - 1);
      expect((await chain.trust.escrow.readJob(key)).state).toBe('escrowed');
      await second.reorg(depth);
      expect((await chain.trust.escrow.readJob(key)).state).toBe('none');
      expect(heard()).toEqual([]);
      const again = chain.trust.escrow.fund(order);
      const mining = setInterval(() => void second.mine(1), 50);
      undo.push(() => clearInterval(mining));
      expect((await again).state).toBe('done');
      await vi.waitFor(() => expect(heard()).toHaveLength(1), { timeout: 10_000 });
    });
  }

  test('a log whose block is replaced after it was told is told again from its new block', async () => {
    const chain = await opened({ confirmations: 1 });
    const { order } = await funding(chain);
    const key = chain.trust.escrow.computeKey(order.terms);
    const heard = await listen(chain, key);
    await chain.trust.escrow.fund(order);
    await vi.waitFor(() => expect(heard()).toHaveLength(1), { timeout: 10_000 });
    await second.reorg(1);
    await second.mine(1);
    const again = await chain.trust.escrow.fund(order);
    expect(again.state, JSON.stringify(again)).toBe('done');
    await vi.waitFor(() => expect(heard()).toHaveLength(2), { timeout: 10_000 });
    const [first, last] = heard();
    expect(first?.event).toEqual(last?.event);
    expect(first?.blockHash).not.toBe(last?.blockHash);
  });

  test('two nodes that disagree make no log appear too early, twice or never', async () => {
    const nodes = await twoNodes(second.rpcUrl);
    const chain = await opened({ confirmations: 2 });
    const doubtful = await opened({ via: nodes.url, confirmations: 2 });
    const keys = new Set<string>();
    const heard: EscrowLog[] = [];
    const { upTo } = await chain.trust.escrow.readLogs(0);
    const end = doubtful.trust.escrow.subscribe(upTo + 1, async (logs) => void heard.push(...logs));
    undo.push(nodes.close, end);
    for (let job = 0; job < 5; job += 1) {
      const { order } = await funding(chain);
      keys.add(chain.trust.escrow.computeKey(order.terms));
      const made = chain.trust.escrow.fund(order);
      await vi.waitFor(async () => {
        const { state } = await chain.trust.escrow.readJob(
          chain.trust.escrow.computeKey(order.terms),
        );
        expect(state).toBe('escrowed');
      });
      // The other node goes its own way at the same heights.
      await nodeRpc(nodes.behindUrl, 'anvil_mine', '0x3');
      await second.mine(2);
      expect((await made).state).toBe('done');
    }
    const ours = () => heard.filter(({ key }) => keys.has(key));
    await vi.waitFor(() => expect(ours()).toHaveLength(5), { timeout: 20_000 });
    const truth = await chain.trust.escrow.readLogs(upTo + 1);
    expect(ours()).toEqual(truth.logs.filter(({ key }) => keys.has(key)));
  }, 60_000);
});

describe('with transactions that are stuck', () => {
  test('what waits behind a nonce that was dropped is not held up for ever', async () => {
    const chain = await opened({ confirmations: 1, patienceMs: 400 });
    const [dropped, order] = [
      { token: 'dropped', ...NEW_AGENT },
      { token: 'behind', ...NEW_AGENT },
    ];
    await chain.trust.identity.register(dropped);
    await second.reorg(1);
    expect((await chain.trust.identity.register(order)).state).toBe('unknown');
    await second.mine(1);
    await vi.waitFor(async () => {
      const found = await chain.trust.identity.register(order);
      expect(found.state, JSON.stringify(found)).toBe('done');
    });
    const again = await chain.trust.identity.register(dropped);
    expect(again.state, JSON.stringify(again)).toBe('done');
  });

  test('one that waits for its block is not sent a second time', async () => {
    const chain = await opened({ confirmations: 1, patienceMs: 300 });
    const { order, buyer } = await funding(chain);
    await second.setMining(false);
    const first = await chain.trust.escrow.fund(order);
    expect(first).toMatchObject({ state: 'unknown', transaction: expect.any(String) });
    const again = await chain.trust.escrow.fund(order);
    expect(again).toMatchObject({ state: 'unknown', transaction: transactionOf(first) });
    await second.mine(1);
    await second.setMining(true);
    expect(await chain.trust.escrow.fund(order)).toMatchObject({
      state: 'done',
      transaction: transactionOf(first),
    });
    expect(await chain.balance(buyer.address)).toBe('90000000');
  });

  test('one whose nonce another transaction took is made again', async () => {
    const chain = await opened({ confirmations: 1, patienceMs: 300 });
    const { order, buyer } = await funding(chain);
    await second.setMining(false);
    const account = privateKeyToAccount(second.operatorKey);
    const nonce = Number(
      await nodeRpc(second.rpcUrl, 'eth_getTransactionCount', account.address, 'latest'),
    );
    const first = await chain.trust.escrow.fund(order);
    expect(first.state).toBe('unknown');
    const wallet = createWalletClient({ account, chain: base, transport: http(second.rpcUrl) });
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
    await wallet.sendTransaction({ to: account.address, nonce, gas: 21_000n, ...fees });
    await second.mine(1);
    await second.setMining(true);
    const made = await chain.trust.escrow.fund(order);
    expect(made.state, JSON.stringify(made)).toBe('done');
    expect(transactionOf(made)).not.toBe(transactionOf(first));
    expect(await chain.balance(buyer.address)).toBe('90000000');
  });
});

describe('with a budget of gas', () => {
  test('a registration above its share is refused before it is sent, and the count is kept', async () => {
    const folder = tempDir();
    undo.push(folder.remove);
    const options = { dataDir: folder.path, confirmations: 1 };
    const chain = await opened({ ...options, gasBudgetWei: 100n });
    const order = { token: 'over budget', ...NEW_AGENT };
    expect(await chain.trust.identity.register(order)).toMatchObject({
      state: 'refused',
      fault: { code: 'GAS_BUDGET', data: { purpose: 'passports', budget_wei: '8' } },
    });
    expect(chain.trust.gasUsage()).toEqual({ used: '0', budget: '100' });
    await chain.close();
    const again = await opened({ ...options, gasBudgetWei: 10n ** 20n });
    expect((await again.trust.identity.register(order)).state).toBe('done');
    const { used } = again.trust.gasUsage();
    expect(BigInt(used)).toBeGreaterThan(0n);
    await again.close();
    expect((await opened(options)).trust.gasUsage().used).toBe(used);
  });
});

describe('with contracts that are missing or others', () => {
  test('what a chain lacks is not configured', async () => {
    const { trust } = await local();
    const bare = await openPaymentChain({
      kind: 'rpc',
      rpcUrl: trust.facts.rpcUrl,
      token: trust.facts.token,
      now: Date.now,
      operatorKey: second.operatorKey,
      dataDir: tempDirUndone(),
    });
    undo.push(() => bare.close());
    expect(bare.trust.contracts).toEqual({
      identity: null,
      reputation: null,
      validation: null,
      escrow: null,
      anchor: null,
      prediction: null,
    });
    const missing = { code: 'NOT_CONFIGURED' };
    await expect(bare.trust.identity.read('0')).rejects.toMatchObject(missing);
    await expect(bare.trust.escrow.readHoldings()).rejects.toMatchObject(missing);
    await expect(bare.trust.anchor.latest()).rejects.toMatchObject(missing);
  });

  test('an escrow of another operator is refused before anything is sold', async () => {
    const { trust } = await local();
    const opening = openPaymentChain({
      kind: 'rpc',
      rpcUrl: trust.facts.rpcUrl,
      token: trust.facts.token,
      now: Date.now,
      operatorKey: second.operatorKey,
      dataDir: tempDirUndone(),
      contracts: { escrow: trust.trust.contracts.escrow as `0x${string}` },
    });
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      data: { setting: 'STOA_ESCROW_ADDRESS' },
    });
  });
});

describe('in a data directory', () => {
  test('contracts that an older server left out are deployed at the next start', async () => {
    const folder = tempDir();
    undo.push(folder.remove);
    const file = join(folder.path, 'chain', 'local.json');
    const first = await openLocal(folder.path);
    await first.close();
    const { contracts: _contracts, ...older } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(older));
    const chain = await openLocal(folder.path);
    undo.push(() => chain.close());
    expect(chain.facts.token).toBe(first.facts.token);
    expect(chain.trust.contracts.escrow).toMatch(/^0x[0-9a-f]{40}$/);
    expect((await chain.trust.escrow.readHoldings()).held).toBe('0');
  });

  test('contracts with other code than before are refused', async () => {
    const folder = tempDir();
    undo.push(folder.remove);
    await (await openLocal(folder.path)).close();
    const file = join(folder.path, 'chain', 'local.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    record.contracts.escrow.codeHash = `0x${'00'.repeat(32)}`;
    writeFileSync(file, JSON.stringify(record));
    await expect(openLocal(folder.path)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('a job that was escrowed in the second that a killed node lost is there again', async () => {
    const { trust: chain } = await local();
    const buyer = createParty();
    await chain.faucet(buyer.address, '100000000');
    const { order } = await fundingFor(chain, buyer);
    const key = chain.trust.escrow.computeKey(order.terms);
    const heard = await listen(chain, key);
    expect((await chain.trust.escrow.fund(order)).state).toBe('done');
    process.kill(chain.nodePid() ?? 0, 'SIGKILL');
    await vi.waitFor(
      async () => expect((await chain.trust.escrow.readJob(key)).state).toBe('escrowed'),
      { timeout: 15_000 },
    );
    expect((await chain.trust.escrow.fund(order)).state).toBe('done');
    expect(await chain.balance(buyer.address)).toBe('90000000');
    await vi.waitFor(() => expect(heard().length).toBeGreaterThan(0), { timeout: 10_000 });
  });
});

async function opened(options: OpenOptions): Promise<NodePaymentChain> {
  const chain = await second.open(options);
  undo.push(() => chain.close());
  return chain;
}

async function funding(chain: NodePaymentChain) {
  const buyer = createParty();
  await second.mint(buyer.address, '100000000');
  return fundingFor(chain, buyer);
}

async function fundingFor(chain: NodePaymentChain, buyer: ReturnType<typeof createParty>) {
  const nowS = await chain.trust.nowS();
  const terms = termsOf({ buyer, provider: createParty() }, nowS);
  const { facts, trust } = chain;
  return { buyer, order: await fundingOf({ facts, trust, buyer, terms, form: 'exact', nowS }) };
}

async function listen({ trust }: NodePaymentChain, wanted: string) {
  const heard: EscrowLog[] = [];
  const { upTo } = await trust.escrow.readLogs(0);
  undo.push(trust.escrow.subscribe(upTo + 1, async (logs) => void heard.push(...logs)));
  return () => heard.filter(({ key }) => key === wanted);
}

async function local() {
  const trust = await openLocal(tempDirUndone());
  undo.push(() => trust.close());
  return { trust };
}

function openLocal(dataDir: string): Promise<NodePaymentChain> {
  const notice = () => undefined;
  return openPaymentChain({ kind: 'local', dataDir, now: Date.now, notice });
}

function tempDirUndone(): string {
  const folder = tempDir();
  undo.push(folder.remove);
  return folder.path;
}

function idOf(outcome: { readonly state: string }): number {
  expect(outcome.state, JSON.stringify(outcome)).toBe('done');
  return Number((outcome as unknown as { result: { agentId: string } }).result.agentId);
}

function transactionOf(outcome: object): unknown {
  return 'transaction' in outcome ? outcome.transaction : undefined;
}
