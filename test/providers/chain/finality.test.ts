import { toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, expect, test, vi } from 'vitest';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { tempDir } from '../../support/temp-dir.ts';

// "Granting before finality": attack I-A of Li et al., "Five Attacks on x402 Agentic Payment
// Protocol", arXiv 2605.11781.

const ETHER = toHex(10n ** 18n);
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

test('one block is not enough where two are asked for, and the second makes it settled', async () => {
  const { bank, chain } = await foreign(2);
  const payload = await paying(bank, chain);
  expect((await chain.settle(payload)).state).toBe('unknown');
  expect((await chain.queryOutcome(payload)).state).toBe('unknown');
  await nodeRpc(bank.facts.rpcUrl, 'anvil_mine', '0x1');
  expect((await chain.queryOutcome(payload)).state).toBe('settled');
});

test('a settlement whose block is reorganised away is not settled, and can be made again', async () => {
  const { bank, chain } = await foreign(2);
  const payload = await paying(bank, chain);
  const reorganise = await forkPoint(bank);
  expect((await chain.settle(payload)).state).toBe('unknown');
  await reorganise();
  expect((await chain.queryOutcome(payload)).state).toBe('unspent');
  const again = chain.settle(payload);
  const mining = setInterval(() => void nodeRpc(bank.facts.rpcUrl, 'anvil_mine', '0x1'), 50);
  undo.push(() => clearInterval(mining));
  expect((await again).state).toBe('settled');
  clearInterval(mining);
  expect(await bank.balance(payload.payload.authorization.from)).toBe('750000');
});

test('a block that is replaced while its depth is awaited does not count', async () => {
  const { bank, chain } = await foreign(3);
  const payload = await paying(bank, chain);
  const reorganise = await forkPoint(bank);
  const settling = chain.settle(payload);
  await vi.waitFor(async () => {
    expect(await bank.balance(payload.payload.authorization.from)).toBe('750000');
  });
  // The same height again and more, without the payment.
  await reorganise();
  await nodeRpc(bank.facts.rpcUrl, 'anvil_mine', '0x5');
  expect((await settling).state).toBe('unknown');
  expect((await chain.queryOutcome(payload)).state).toBe('unspent');
});

test('what the local node is made to drop after it settled comes back by itself', async () => {
  const notices: string[] = [];
  const chain = await local(notices);
  const reorganise = await forkPoint(chain);
  const payloads = [await paying(chain, chain), await paying(chain, chain)];
  for (const payload of payloads) expect((await chain.settle(payload)).state).toBe('settled');
  await reorganise();
  await vi.waitFor(
    async () => {
      for (const payload of payloads) {
        expect(await chain.queryOutcome(payload)).toMatchObject({ state: 'settled' });
      }
    },
    { timeout: 15_000, interval: 100 },
  );
  await vi.waitFor(() => expect(notices.join()).toContain('now sent again'), { timeout: 15_000 });
  for (const { payload } of payloads) {
    expect(await chain.balance(payload.authorization.from)).toBe('750000');
  }
  // The operator's nonce is right again.
  expect((await chain.settle(await paying(chain, chain))).state).toBe('settled');
}, 120_000);

async function foreign(confirmations: number) {
  const bank = await local([]);
  const operatorKey = generatePrivateKey();
  const { address } = privateKeyToAccount(operatorKey);
  await nodeRpc(bank.facts.rpcUrl, 'anvil_setBalance', address, ETHER);
  const folder = tempDir();
  const chain = await openPaymentChain({
    kind: 'rpc',
    dataDir: folder.path,
    now: Date.now,
    operatorKey,
    confirmations,
    rpcUrl: bank.facts.rpcUrl,
    token: bank.facts.token,
    patience: { everyMs: 20, totalMs: 600 },
    timeoutMs: 2_000,
  });
  undo.push(folder.remove, () => chain.close());
  return { bank, chain };
}

async function local(notices: string[]): Promise<NodePaymentChain> {
  const folder = tempDir();
  const notice = (line: string) => void notices.push(line);
  const common = { dataDir: folder.path, now: Date.now, notice };
  const chain = await openPaymentChain({ kind: 'local', ...common });
  undo.push(folder.remove, () => chain.close());
  return chain;
}

/** Marks where the chain stands; the function drops every block that came after. */
async function forkPoint({ facts }: NodePaymentChain): Promise<() => Promise<void>> {
  const mark = await nodeRpc<string>(facts.rpcUrl, 'evm_snapshot');
  return async () => {
    expect(await nodeRpc(facts.rpcUrl, 'evm_revert', mark)).toBe(true);
  };
}

/** A payment of a fresh payer to a chain's treasury, with money from the bank. */
async function paying(bank: NodePaymentChain, chain: NodePaymentChain) {
  const payer = createPayer();
  await bank.faucet(payer.address, '1000000');
  return payer.pay(requirementsOf(chain.facts));
}
