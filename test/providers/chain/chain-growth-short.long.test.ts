import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { chainBytes, loadPayer, type Settled, settleMany } from '../../support/chain-load.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PATIENCE = { timeout: 20_000, interval: 100 };

test('old blocks leave the node, and every receipt still verifies, also after a restart', async () => {
  const folder = tempDir();
  const notices: string[] = [];
  const open = () => openLocal(folder.path, 100, notices);
  const first = await open();
  const { address, pay } = await loadPayer(first, 510);
  const many = await settleMany(first, pay, { count: 400, every: 5, lanes: 32 });
  await vi.waitFor(() => expect(journalRows(folder.path)).toBeLessThan(100), PATIENCE);
  expect(files(folder.path)).toBeGreaterThan(0);
  // So that nothing of the above is among the blocks that are kept.
  await vi.waitFor(() => nodeRpc(first.facts.rpcUrl, 'anvil_mine', '0x50'), PATIENCE);
  const more = await settleMany(first, pay, { count: 110, every: 5, lanes: 32 });
  await vi.waitFor(async () => expect(await forgotten(first, many)).toBe(many.length), PATIENCE);
  const seen = [...many, ...more];
  await verified(first, seen);
  await first.close();

  const second = await open();
  expect(await forgotten(second, many)).toBe(many.length);
  await verified(second, seen);
  for (const { payload, transaction } of seen) {
    expect(await second.queryOutcome(payload)).toMatchObject({ state: 'settled', transaction });
  }
  expect(await second.balance(address)).toBe('0');
  expect(await second.balance(second.facts.treasury)).toBe('510000');
  expect(notices).toEqual([]);
  // Accounts and spent nonces, the blocks kept, and what has not been tidied yet.
  expect(chainBytes(folder.path).state).toBeLessThan(400_000);
  await second.close();
  folder.remove();
}, 120_000);

test('a receipt that is altered, foreign, or for money that never moved does not verify', async () => {
  const folder = tempDir();
  const chain = await openLocal(folder.path, 1_000, []);
  const { pay } = await loadPayer(chain, 2);
  const [good] = await settleMany(chain, pay, { count: 1, every: 1, lanes: 1 });
  const { receipt, payload } = good as Settled & { receipt: { payload: object } };
  const { transaction: minted } = await chain.faucet(chain.facts.treasury, '1');
  const payer = payload.payload.authorization.from;
  const facts = { resourceUrl: 'mcp://tool/load', payer, issuedAt: Date.now() };
  const wrong = {
    altered: { ...receipt, payload: { ...receipt.payload, payer: chain.facts.treasury } },
    'of nothing': await chain.signReceipt({ ...facts, transaction: `0x${'12'.repeat(32)}` }),
    'of a gift': await chain.signReceipt({ ...facts, transaction: minted }),
    'for another payer': await chain.signReceipt({
      ...facts,
      payer: chain.facts.treasury,
      transaction: good?.transaction ?? '',
    }),
    unreadable: { format: 'jws', signature: 'x' },
  };
  expect(await chain.verifyReceipt(receipt)).toMatchObject({ isValid: true, payer });
  for (const [name, each] of Object.entries(wrong)) {
    expect(await chain.verifyReceipt(each), name).toMatchObject({ isValid: false });
  }
  await chain.close();
  folder.remove();
}, 120_000);

async function verified(chain: NodePaymentChain, settled: readonly Settled[]): Promise<void> {
  for (const { receipt, payload } of settled) {
    expect(await chain.verifyReceipt(receipt)).toMatchObject({ isValid: true, amount: '1000' });
    expect((await chain.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
  }
}

function journalRows(dataDir: string): number {
  return readFileSync(join(dataDir, 'chain', 'raw.jsonl'), 'utf8').split('\n').length - 1;
}

/** Files of the archive. */
function files(dataDir: string): number {
  const folder = join(dataDir, 'chain', 'archive');
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

/** How many of the settlements the node itself does not know any more. */
async function forgotten(
  { facts }: NodePaymentChain,
  settled: readonly { readonly transaction: string }[],
): Promise<number> {
  const found = await Promise.all(
    settled.map(({ transaction }) =>
      nodeRpc(facts.rpcUrl, 'eth_getTransactionReceipt', transaction),
    ),
  );
  return found.filter((receipt) => receipt === null).length;
}

function openLocal(dataDir: string, checkpointRows: number, notices: string[]) {
  const notice = (line: string) => void notices.push(line);
  return openPaymentChain({ kind: 'local', dataDir, now: Date.now, notice, checkpointRows });
}
