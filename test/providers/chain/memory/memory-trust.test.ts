import { expect, test, vi } from 'vitest';
import type { EscrowLog } from '../../../../src/domain/chain/trust-chain.ts';
import { createMemoryPaymentChain } from '../../../support/chain-memory/memory-chain.ts';
import { createParty, fundingOf, termsOf } from '../../../support/trust-parties.ts';

test('each fate of a call is as on a real chain', async () => {
  const { trust } = createMemoryPaymentChain();
  const order = { token: 'one', uri: 'data:,', metadata: {} };
  trust.faults.fates.push('lost', 'refused', 'late');
  expect(await trust.identity.register(order)).toMatchObject({
    state: 'unknown',
    transaction: null,
  });
  expect(await trust.identity.read('0')).toBeUndefined();
  expect((await trust.identity.register(order)).state).toBe('refused');
  const late = await trust.identity.register(order);
  expect(late).toMatchObject({ state: 'unknown', transaction: expect.any(String) });
  expect(await trust.identity.register(order)).toMatchObject({
    state: 'done',
    transaction: 'transaction' in late && late.transaction,
    result: { agentId: '0' },
  });
});

test('a chain that is down answers nothing', async () => {
  const chain = createMemoryPaymentChain();
  chain.faults.isDown = true;
  const down = { code: 'CHAIN_UNAVAILABLE' };
  await expect(chain.trust.escrow.readHoldings()).rejects.toMatchObject(down);
  await expect(chain.trust.anchor.anchor(1, '0x')).rejects.toMatchObject(down);
});

test('what is given away stops with the budget, and what was given stays found', async () => {
  const { trust } = createMemoryPaymentChain();
  const order = { token: 'one', uri: 'data:,', metadata: {} };
  const first = await trust.identity.register(order);
  trust.faults.isGasSpent = true;
  const budget = { state: 'refused', fault: { code: 'GAS_BUDGET' } };
  expect(await trust.identity.register({ ...order, token: 'two' })).toMatchObject(budget);
  expect(await trust.identity.setUri('0', 'x')).toMatchObject(budget);
  expect(await trust.identity.register(order)).toEqual(first);
});

test('the contracts outlive a restart with their ledger', async () => {
  const first = createMemoryPaymentChain();
  const { key } = await escrowed(first);
  const again = createMemoryPaymentChain({ ledger: first.ledger });
  expect((await again.trust.escrow.readJob(key)).state).toBe('escrowed');
});

test('held logs are told once they are confirmed, and those of a reorganisation again', async () => {
  const chain = createMemoryPaymentChain();
  const heard: EscrowLog[] = [];
  chain.trust.hold();
  const end = chain.trust.escrow.subscribe(0, async (logs) => void heard.push(...logs));
  const { key } = await escrowed(chain);
  expect((await chain.trust.escrow.readJob(key)).state).toBe('escrowed');
  expect((await chain.trust.escrow.readLogs(0)).logs).toEqual([]);
  expect(heard).toEqual([]);
  chain.trust.confirm();
  await vi.waitFor(() => expect(heard).toHaveLength(1));
  chain.trust.reorg(1);
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  end();
  const [first, second] = heard;
  expect(second?.event).toEqual(first?.event);
  expect(second?.transaction).toBe(first?.transaction);
  expect(second?.blockHash).not.toBe(first?.blockHash);
  await escrowed(chain);
  expect(heard).toHaveLength(2);
});

async function escrowed(chain: ReturnType<typeof createMemoryPaymentChain>) {
  const buyer = createParty();
  await chain.faucet(buyer.address, '10000000');
  const { facts, trust } = chain;
  const nowS = await trust.nowS();
  const terms = termsOf({ buyer, provider: createParty() }, nowS);
  const order = await fundingOf({ facts, trust, buyer, terms, form: 'terms', nowS });
  expect((await trust.escrow.fund(order)).state).toBe('done');
  return { key: trust.escrow.computeKey(terms) };
}
