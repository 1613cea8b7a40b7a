import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import type { NodePaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { encodeTransfer } from '../../../src/providers/payment/token.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { createMemoryLedger } from '../../support/chain-memory/memory-ledger.ts';
import { nodeRpc, until } from '../../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { type SecondChain, secondChain } from '../../support/second-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';

let others: SecondChain;
const dir = tempDir();
const open = (name: string): Promise<NodePaymentChain> =>
  others.open({ dataDir: `${dir.path}/${name}`, confirmations: 1 });

beforeAll(async () => {
  others = await secondChain(0);
}, 120_000);
afterAll(async () => {
  await others.close();
  dir.remove();
});

test('what one server of a treasury has settled is no payment at another one', async () => {
  const [here, there] = [await open('a'), await open('b')];
  const payload = await signed(here);
  expect((await here.settle(payload)).state).toBe('settled');
  expect((await there.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
  for (const found of [await there.settle(payload), await there.queryOutcome(payload)]) {
    expect(found).toMatchObject({ state: 'failed', fault: { code: 'PAYMENT_REPLAYED' } });
  }
  for (const found of [await here.settle(payload), await here.queryOutcome(payload)]) {
    expect(found.state).toBe('settled');
  }
  await Promise.all([here.close(), there.close()]);
}, 60_000);

test('presented at two servers at once, a payment is settled for one of them', async () => {
  const [here, there] = [await open('c'), await open('d')];
  const payload = await signed(here);
  expect(await here.checkOnChain(payload)).toBeUndefined();
  expect(await there.checkOnChain(payload)).toBeUndefined();
  await Promise.all([here.settle(payload), there.settle(payload)]);
  // Both send with one key, so one of them may have to look again.
  const found = [await lookedUp(here, payload), await lookedUp(there, payload)];
  expect(found.filter((state) => state === 'settled')).toHaveLength(1);
  await Promise.all([here.close(), there.close()]);
}, 60_000);

test('what an outsider overtakes counts once, for the server that claims it', async () => {
  const [here, there] = [await open('e'), await open('f')];
  const payload = await signed(here);
  expect(await here.checkOnChain(payload)).toBeUndefined();
  await outside(payload);
  const outcomes = await Promise.all([here.settle(payload), there.settle(payload)]);
  expect(outcomes.filter(({ state }) => state === 'settled').length).toBeLessThanOrEqual(1);
  const found = [await lookedUp(here, payload), await lookedUp(there, payload)];
  expect(found.toSorted()).toEqual(['failed', 'settled']);
  const owner = found[0] === 'settled' ? here : there;
  expect((await owner.settle(payload)).state).toBe('settled');
  await Promise.all([here.close(), there.close()]);
}, 60_000);

test('the claim of a payment that has arrived takes no gas from refunds', async () => {
  const here = await open('i');
  const payload = await signed(here);
  await outside(payload);
  expect((await here.settle(payload)).state).toBe('settled');
  expect(here.trust.gasUsage().used).toBe('0');
  const order = { to: createPayer().address, amount: '1', token: 'owed' };
  expect((await here.transfer(order)).state).toBe('settled');
  expect(here.trust.gasUsage().used).not.toBe('0');
  await here.close();
}, 60_000);

test('what was spent before it came here is no payment on a chain of others', async () => {
  const here = await open('g');
  const payload = await signed(here);
  await outside(payload);
  expect((await here.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
  await here.close();
}, 60_000);

test('a directory of an older copy does not answer for what was settled since', async () => {
  const first = await open('h');
  const before = await signed(first);
  expect((await first.settle(before)).state).toBe('settled');
  cpSync(`${dir.path}/h`, `${dir.path}/h-copy`, { recursive: true });
  const since = await signed(first);
  expect((await first.settle(since)).state).toBe('settled');
  const overtaken = await signed(first);
  await outside(overtaken);
  expect((await first.settle(overtaken)).state).toBe('settled');
  await first.close();
  rmSync(`${dir.path}/h`, { recursive: true });
  cpSync(`${dir.path}/h-copy`, `${dir.path}/h`, { recursive: true });
  const restored = await open('h');
  expect((await restored.queryOutcome(before)).state).toBe('settled');
  for (const payload of [since, overtaken]) {
    expect((await restored.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
    expect((await restored.settle(payload)).state).toBe('failed');
    expect((await restored.queryOutcome(payload)).state).toBe('failed');
  }
  await restored.close();
}, 60_000);

test('a directory knows how much it has sent, and whether others sell with its key', async () => {
  const [seller, idle] = [await open('i'), await open('j')];
  const begun = await idle.standing();
  const payload = await signed(seller);
  const settled = await seller.settle(payload);
  const sold = await seller.standing();
  expect(sold.remembered).toBe(sold.sent);
  const stood = await idle.standing();
  expect(stood).toMatchObject({ remembered: 0, sent: begun.sent + 1 });
  expect(await stood.findSoldElsewhere()).toBe(settled.state === 'settled' && settled.transaction);
  await Promise.all([seller.close(), idle.close()]);
}, 60_000);

test('the chain in memory keeps the same rules', async () => {
  const payer = createPayer();
  const ledger = createMemoryLedger();
  const treasuryKey = createPayer().privateKey;
  const server = () =>
    createMemoryPaymentChain({
      ledger,
      treasuryKey,
      journal: new Set(),
      balances: { [payer.address]: '9000000' },
    });
  const [here, there] = [server(), server()];
  const offer = requirementsOf(here.facts);
  const own = await payer.pay(offer);
  expect((await here.settle(own)).state).toBe('settled');
  expect((await here.settle(own)).state).toBe('settled');
  expect((await there.settle(own)).state).toBe('failed');
  expect((await there.checkOnChain(own))?.code).toBe('PAYMENT_REPLAYED');
  const overtaken = await payer.pay(offer);
  const { from, to, value, nonce } = overtaken.payload.authorization;
  ledger.transfer({ from, to, value: BigInt(value), nonce }, true);
  expect((await here.checkOnChain(overtaken))?.code).toBe('PAYMENT_REPLAYED');
  expect((await there.settle(overtaken)).state).toBe('settled');
  expect((await here.settle(overtaken)).state).toBe('failed');
  expect((await there.queryOutcome(overtaken)).state).toBe('settled');
});

async function signed(chain: NodePaymentChain): Promise<PaymentPayload> {
  const payer = createPayer();
  await others.mint(payer.address, '1000000');
  return payer.pay(requirementsOf(chain.facts));
}

async function outside(payload: PaymentPayload): Promise<void> {
  const { address: from } = createPayer();
  const { rpcUrl, token: to } = others;
  await nodeRpc(rpcUrl, 'anvil_setBalance', from, '0xde0b6b3a7640000');
  await nodeRpc(rpcUrl, 'anvil_impersonateAccount', from);
  const data = encodeTransfer(payload.payload);
  const hash = await nodeRpc<string>(rpcUrl, 'eth_sendTransaction', { from, to, data });
  await until(async () => {
    const receipt = await nodeRpc<{ status: string } | null>(
      rpcUrl,
      'eth_getTransactionReceipt',
      hash,
    );
    return receipt?.status === '0x1';
  });
}

/** What the chain says in the end, where a server had to look twice. */
async function lookedUp(chain: NodePaymentChain, payload: PaymentPayload): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { state } = await chain.queryOutcome(payload);
    if (state === 'settled' || state === 'failed') return state;
    await new Promise((done) => setTimeout(done, 100));
  }
  return 'unknown';
}
