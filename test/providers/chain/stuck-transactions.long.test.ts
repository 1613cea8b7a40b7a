import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { BUMPS_MAX } from '../../../src/providers/chain/replace-stuck.ts';
import type { NodePaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { nodeRpc, rpcProxy } from '../../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { type OpenOptions, type SecondChain, secondChain } from '../../support/second-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { createParty, fundingOf, termsOf } from '../../support/trust-parties.ts';

const NEW_AGENT = { uri: 'data:,', metadata: {} };

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

test('a transaction that no block takes is replaced by itself at a higher fee, and done once', async () => {
  const { chain, pass } = await opened();
  const { order, buyer } = await funding(chain);
  await second.setMining(false);
  const first = hashOf(await chain.trust.escrow.fund(order));
  // Not at once: a block may be on its way.
  expect(hashOf(await chain.trust.escrow.fund(order))).toBe(first);
  const before = await pending(first);
  pass(31);
  const replaced = hashOf(await chain.trust.escrow.fund(order));
  expect(replaced).not.toBe(first);
  const after = await pending(replaced);
  expect(after).toMatchObject({ nonce: before?.nonce, input: before?.input, to: before?.to });
  for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    const [old, next] = [BigInt(before?.[fee] ?? 0), BigInt(after?.[fee] ?? 0)];
    expect(next * 1_000n).toBeGreaterThanOrEqual(old * 1_125n);
  }
  expect(await pending(first)).toBeNull();
  await second.mine(1);
  await second.setMining(true);
  expect(await chain.trust.escrow.fund(order)).toMatchObject({
    state: 'done',
    transaction: replaced,
  });
  expect(await chain.balance(buyer.address)).toBe('90000000');
});

test('a replacement is bounded in number', async () => {
  const { chain, pass, dataDir } = await opened();
  const { order, buyer } = await funding(chain);
  await second.setMining(false);
  const sent = new Set<string>();
  for (let n = 0; n < BUMPS_MAX + 4; n += 1) {
    sent.add(hashOf(await chain.trust.escrow.fund(order)));
    pass(31);
  }
  expect(sent.size).toBe(1 + BUMPS_MAX);
  expect(kept(dataDir)).toBe(1 + BUMPS_MAX);
  await second.mine(1);
  await second.setMining(true);
  expect((await chain.trust.escrow.fund(order)).state).toBe('done');
  expect(await chain.balance(buyer.address)).toBe('90000000');
});

test('a payment that no block takes is replaced too, and settles once', async () => {
  const { chain, pass } = await opened();
  const payer = createPayer();
  await second.mint(payer.address, '1000000');
  const payment = await payer.pay(requirementsOf(chain.facts));
  await second.setMining(false);
  const first = await chain.settle(payment);
  expect(first.state).toBe('unknown');
  pass(31);
  await chain.settle(payment);
  expect(await pending(hashOf(first))).toBeNull();
  await second.mine(1);
  await second.setMining(true);
  expect((await chain.settle(payment)).state).toBe('settled');
  expect(await chain.balance(payer.address)).toBe('750000');
});

test('a call whose answer is lost counts against the budget of gas, in full until it is found', async () => {
  const proxy = await rpcProxy(second.rpcUrl);
  const { chain } = await opened({ via: proxy.url });
  undo.push(proxy.close);
  const order = { token: 'lost', ...NEW_AGENT };
  proxy.lose('eth_sendRawTransaction', 'after');
  expect((await chain.trust.identity.register(order)).state).toBe('unknown');
  const held = BigInt(chain.trust.gasUsage().used);
  expect(held).toBeGreaterThan(0n);
  proxy.heal();
  expect((await chain.trust.identity.register(order)).state).toBe('done');
  const used = BigInt(chain.trust.gasUsage().used);
  expect(used).toBeGreaterThan(0n);
  expect(used).toBeLessThan(held);
});

test('lost calls use the budget up, so that what is given away stops', async () => {
  const proxy = await rpcProxy(second.rpcUrl);
  undo.push(proxy.close);
  // Registrations have a tenth of it.
  const gasBudgetWei = 30n * (await costOfOne());
  const { chain } = await opened({ via: proxy.url, gasBudgetWei });
  proxy.lose('eth_sendRawTransaction', 'before');
  const states: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    states.push((await chain.trust.identity.register({ token: `lost ${n}`, ...NEW_AGENT })).state);
  }
  expect(states.slice(0, 2)).toEqual(['unknown', 'unknown']);
  expect(states.at(-1)).toBe('refused');
});

test('an anchor counts against the budget of gas', async () => {
  const { chain } = await opened();
  const { anchor } = chain.trust;
  const size = ((await anchor.latest())?.size ?? 0) + 1;
  expect((await anchor.anchor(size, `0x${'ab'.repeat(32)}`)).state).toBe('done');
  expect(BigInt(chain.trust.gasUsage().used)).toBeGreaterThan(0n);
});

test('a call that needs more gas than is paid for is refused, and costs nothing', async () => {
  const { chain } = await opened();
  const minted = await chain.trust.identity.register({ token: 'large', ...NEW_AGENT });
  const before = chain.trust.gasUsage().used;
  const { agentId } = (minted as unknown as { result: { agentId: string } }).result;
  expect(await chain.trust.identity.setUri(agentId, 'x'.repeat(20_000))).toMatchObject({
    state: 'refused',
    fault: { code: 'GAS_LIMIT', data: { allowed: '2000000' } },
  });
  expect(chain.trust.gasUsage().used).toBe(before);
});

/** What a registration may cost at the fees of now, in wei. */
async function costOfOne(): Promise<bigint> {
  const proxy = await rpcProxy(second.rpcUrl);
  const { chain } = await opened({ via: proxy.url });
  proxy.lose('eth_sendRawTransaction', 'before');
  await chain.trust.identity.register({ token: 'what it costs', ...NEW_AGENT });
  await proxy.close();
  return BigInt(chain.trust.gasUsage().used);
}

async function opened(options: OpenOptions = {}) {
  const folder = tempDir();
  let passedMs = 0;
  const chain = await second.open({
    confirmations: 1,
    patienceMs: 300,
    dataDir: folder.path,
    now: () => Date.now() + passedMs,
    ...options,
  });
  undo.push(folder.remove, () => chain.close());
  const pass = (seconds: number) => {
    passedMs += seconds * 1_000;
  };
  return { chain, pass, dataDir: folder.path };
}

async function funding({ facts, trust }: NodePaymentChain) {
  const buyer = createParty();
  await second.mint(buyer.address, '100000000');
  const nowS = await trust.nowS();
  const terms = termsOf({ buyer, provider: createParty() }, nowS);
  return { buyer, order: await fundingOf({ facts, trust, buyer, terms, form: 'exact', nowS }) };
}

interface Pending {
  readonly nonce: string;
  readonly input: string;
  readonly to: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
}

function pending(hash: string): Promise<Pending | null> {
  return nodeRpc<Pending | null>(second.rpcUrl, 'eth_getTransactionByHash', hash);
}

function hashOf(outcome: object): string {
  expect(outcome).toMatchObject({ transaction: expect.stringMatching(/^0x/) });
  return (outcome as { readonly transaction: string }).transaction;
}

/** Transactions that the journal of a data directory holds. */
function kept(dataDir: string): number {
  const file = join(dataDir, 'chain-8453', 'raw.jsonl');
  return readFileSync(file, 'utf8').trim().split('\n').length;
}
