import { expect, test } from 'vitest';
import { createMemoryPaymentChain } from '../../../support/chain-memory/memory-chain.ts';
import { createMemoryLedger } from '../../../support/chain-memory/memory-ledger.ts';
import { createPayer, requirementsOf } from '../../../support/payer.ts';

test('the dial acts out an answer that is lost, a request that is lost and a refusal', async () => {
  const payer = createPayer();
  const chain = createMemoryPaymentChain({ balances: { [payer.address]: '1000000' } });
  const payload = await payer.pay(requirementsOf(chain.facts));
  chain.faults.fates.push('lost', 'refused', 'late');
  expect(await chain.settle(payload)).toMatchObject({ state: 'unknown', transaction: null });
  expect(await chain.settle(payload)).toMatchObject({
    state: 'failed',
    fault: { code: 'SETTLEMENT_FAILED' },
  });
  expect(await chain.queryOutcome(payload)).toEqual({ state: 'unspent' });
  const late = await chain.settle(payload);
  expect(late).toMatchObject({ state: 'unknown', transaction: expect.any(String) });
  expect(await chain.queryOutcome(payload)).toMatchObject({
    state: 'settled',
    transaction: 'transaction' in late && late.transaction,
  });
  expect(await chain.balance(payer.address)).toBe('750000');
});

test('a chain that is down fails reads by name and leaves payments unknown', async () => {
  const payer = createPayer();
  const chain = createMemoryPaymentChain();
  const payload = await payer.pay(requirementsOf(chain.facts));
  chain.faults.isDown = true;
  await expect(chain.checkOnChain(payload)).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  await expect(chain.queryOutcome(payload)).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  expect((await chain.settle(payload)).state).toBe('unknown');
  const order = { to: payer.address, amount: '1', token: 'a' };
  expect((await chain.transfer(order)).state).toBe('unknown');
});

test('a restart on the same books keeps balances and spent authorizations', async () => {
  const payer = createPayer();
  const ledger = createMemoryLedger();
  const { privateKey: treasuryKey } = createPayer();
  const balances = { [payer.address]: '1000000' };
  const first = createMemoryPaymentChain({ ledger, treasuryKey, balances });
  const payload = await payer.pay(requirementsOf(first.facts));
  const settled = await first.settle(payload);
  const second = createMemoryPaymentChain({ ledger, treasuryKey, balances });
  expect(await second.settle(payload)).toEqual(settled);
  expect(await second.balance(payer.address)).toBe('750000');
  expect(ledger.transfers).toHaveLength(1);
});

test('the local check counts no call', async () => {
  const chain = createMemoryPaymentChain();
  const payload = await createPayer().pay(requirementsOf(chain.facts));
  chain.checkLocally(payload, requirementsOf(chain.facts), Date.now());
  expect(chain.rpcCalls()).toBe(0);
  await chain.checkOnChain(payload);
  expect(chain.rpcCalls()).toBe(1);
});
