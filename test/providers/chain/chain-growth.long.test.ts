import { expect, test } from 'vitest';
import { openPaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { chainBytes, loadPayer, nodeMemoryMib, settleMany } from '../../support/chain-load.ts';
import { tempDir } from '../../support/temp-dir.ts';

const COUNT = 5_000;
const KIB = 1_024;

test('5,000 settlements: memory, start and bytes stay within bounds, receipts verify', {
  timeout: 900_000,
}, async () => {
  const folder = tempDir();
  const notices: string[] = [];
  const notice = (line: string) => void notices.push(line);
  const open = () =>
    openPaymentChain({ kind: 'local', dataDir: folder.path, now: Date.now, notice });
  const first = await open();
  const { address, pay } = await loadPayer(first, COUNT);
  const settled = await settleMany(first, pay, { count: COUNT, every: 100, lanes: 64 });
  expect(nodeMemoryMib(first) ?? 0).toBeLessThan(250);
  await first.close();

  const began = performance.now();
  const second = await open();
  expect(performance.now() - began).toBeLessThan(30_000);
  for (const { receipt } of settled) {
    expect(await second.verifyReceipt(receipt)).toMatchObject({ isValid: true });
  }
  expect(await second.balance(address)).toBe('0');
  // Two states with the blocks of a checkpoint, the open journal, and what stays of each.
  expect(chainBytes(folder.path).all).toBeLessThan(10_000 * KIB + COUNT * 500);
  expect(notices).toEqual([]);
  await second.close();
  folder.remove();
});
