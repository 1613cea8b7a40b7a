import { copyFileSync, existsSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { loadPayer, settleMany } from '../../support/chain-load.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { preempt } from '../../support/observer.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { tempDir } from '../../support/temp-dir.ts';

// A chain that lost something is level again before anything is served.

const undo: (() => unknown)[] = [];
const notices: string[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
  notices.length = 0;
});

test.each([
  { point: 'before the row is written', lost: ['state.gz', 'raw.jsonl'], isKept: false },
  { point: 'between the row and the broadcast, or the receipt', lost: ['state.gz'], isKept: true },
])(
  'killed $point, a payment settles once',
  async ({ lost, isKept }) => {
    const { folder, chain, payload } = await begun();
    for (const name of ['state.gz', 'raw.jsonl'])
      copyFileSync(folder(name), folder(`${name}.copy`));
    const first = await chain.settle(payload);
    await chain.close();
    for (const name of lost) copyFileSync(folder(`${name}.copy`), folder(name));

    const second = await open(folder(''));
    const seen = await second.queryOutcome(payload);
    expect(seen).toEqual(isKept ? { ...first, block: expect.any(Number) } : { state: 'unspent' });
    expect((await second.settle(payload)).state).toBe('settled');
    expect(await second.balance(payload.payload.authorization.from)).toBe('750000');
    expect(await second.balance(second.facts.treasury)).toBe('250000');
  },
  30_000,
);

test('a settlement by somebody else that was told of is kept like one of ours', async () => {
  const { folder, chain, payload } = await begun();
  copyFileSync(folder('state.gz'), folder('state.gz.copy'));
  const ready = {
    chain: { id: chain.facts.chainId, rpc_url: chain.facts.rpcUrl, token: chain.facts.token },
  };
  const transaction = await preempt(ready as never, payload);
  expect(await chain.checkOnChain(payload)).toBeUndefined();
  expect(await chain.settle(payload)).toMatchObject({ state: 'settled', transaction });
  // It was taken once: what is kept here is a replay.
  expect((await chain.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
  await chain.close();
  copyFileSync(folder('state.gz.copy'), folder('state.gz'));

  const second = await open(folder(''));
  expect(await second.queryOutcome(payload)).toMatchObject({ state: 'settled', transaction });
  expect(
    await nodeRpc(second.facts.rpcUrl, 'eth_getTransactionReceipt', transaction),
  ).toMatchObject({ status: '0x1' });
  expect(await second.balance(payload.payload.authorization.from)).toBe('750000');
}, 120_000);

test('a state from before the last tidying is brought level from the archive', async () => {
  const { folder, chain, payload } = await begun(60);
  await vi.waitFor(() => expect(existsSync(folder('state.gz'))).toBe(true), PATIENCE);
  copyFileSync(folder('state.gz'), folder('state.gz.copy'));
  expect((await chain.settle(payload)).state).toBe('settled');
  const { address, pay } = await loadPayer(chain, 150);
  const settled = await settleMany(chain, pay, { count: 150, every: 10, lanes: 16 });
  await vi.waitFor(() => expect(archived(folder('archive'))).toBeGreaterThan(0), PATIENCE);
  await chain.close();
  copyFileSync(folder('state.gz.copy'), folder('state.gz'));

  const second = await open(folder(''), 60);
  for (const { receipt } of settled) {
    expect(await second.verifyReceipt(receipt)).toMatchObject({ isValid: true });
  }
  expect(await second.balance(address)).toBe('0');
  expect(await second.balance(second.facts.treasury)).toBe('400000');
  expect(notices.join()).toMatch(/replayed \d{2,} stored transaction/);
}, 60_000);

test('a torn state is put aside, and the one before it is brought level', async () => {
  const { folder, chain, payload } = await begun(20);
  const { pay } = await loadPayer(chain, 60);
  await settleMany(chain, pay, { count: 60, every: 60, lanes: 8 });
  await vi.waitFor(() => expect(existsSync(folder('state.gz.before'))).toBe(true), PATIENCE);
  expect((await chain.settle(payload)).state).toBe('settled');
  await chain.close();
  truncateSync(folder('state.gz'), 500);

  const second = await open(folder(''), 20);
  expect(notices.join()).toContain('is damaged');
  expect(existsSync(folder('state.gz.damaged'))).toBe(true);
  expect(await second.queryOutcome(payload)).toMatchObject({ state: 'settled' });
  expect(await second.balance(second.facts.treasury)).toBe('310000');
}, 60_000);

const PATIENCE = { timeout: 20_000, interval: 100 };

/** A chain with one payer and a payment that is not settled yet. */
async function begun(checkpointRows?: number) {
  const temp = tempDir();
  undo.push(temp.remove);
  const folder = (name: string) => (name === '' ? temp.path : join(temp.path, 'chain', name));
  const before = await open(temp.path, checkpointRows);
  const payer = createPayer();
  await before.faucet(payer.address, '1000000');
  const payload = await payer.pay(requirementsOf(before.facts));
  // The state is saved at the end at the latest.
  await before.close();
  return { folder, payload, chain: await open(temp.path, checkpointRows) };
}

async function open(dataDir: string, checkpointRows = 1_000): Promise<NodePaymentChain> {
  const notice = (line: string) => void notices.push(line);
  const chain = await openPaymentChain({
    kind: 'local',
    dataDir,
    now: Date.now,
    notice,
    checkpointRows,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= chain.close());
  undo.push(close);
  return { ...chain, close };
}

function archived(folder: string): number {
  return existsSync(folder) ? readdirSync(folder).length : 0;
}
