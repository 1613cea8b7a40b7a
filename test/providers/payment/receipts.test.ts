import { expect, test } from 'vitest';
import type { ChainRpc } from '../../../src/providers/chain/chain-rpc.ts';
import { awaitConfirmed, nextPause } from '../../../src/providers/payment/receipts.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const RECEIPT = {
  status: '0x1',
  transactionHash: HASH,
  blockNumber: '0x5',
  contractAddress: null,
  logs: [],
  blockHash: `0x${'cd'.repeat(32)}`,
};

test('a receipt is asked for within 100 ms and a tenth of the wait, under 200 times in 90 s', () => {
  let waitedMs = 0;
  let questions = 1;
  for (let pauseMs = 100; waitedMs + pauseMs <= 90_000; pauseMs = nextPause(pauseMs, 500)) {
    expect(pauseMs).toBeLessThanOrEqual(Math.min(500, 100.001 + waitedMs / 10));
    waitedMs += pauseMs;
    questions += 1;
  }
  expect(questions).toBeLessThan(200);
  expect(waitedMs).toBeGreaterThan(89_000);
});

test('the first pause is the short one, and the patience ends the wait', async () => {
  const asked = chain({ answersFrom: 4, depth: 1 });
  const slow = { firstMs: 1, everyMs: 60_000, totalMs: 30_000, confirmations: 1 };
  expect((await awaitConfirmed(asked.rpc, HASH, slow))?.blockNumber).toBe('0x5');
  expect(asked.count()).toBe(4);

  const never = chain({ answersFrom: Number.POSITIVE_INFINITY, depth: 1 });
  const short = { firstMs: 1, everyMs: 5, totalMs: 50, confirmations: 1 };
  expect(await awaitConfirmed(never.rpc, HASH, short)).toBeUndefined();
  expect(never.count()).toBeLessThanOrEqual(51);
});

test('a receipt that is not deep enough is waited for until it is', async () => {
  const shallow = chain({ answersFrom: 1, depth: 3 });
  const patience = { firstMs: 1, everyMs: 5, totalMs: 30_000, confirmations: 3 };
  expect((await awaitConfirmed(shallow.rpc, HASH, patience))?.transactionHash).toBe(HASH);
  expect(shallow.count()).toBe(3);
});

/** A node that knows the receipt from the nth question on, one block older at each question. */
function chain({ answersFrom, depth }: { answersFrom: number; depth: number }) {
  let questions = 0;
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_getTransactionReceipt: () => {
      questions += 1;
      return questions >= answersFrom ? RECEIPT : null;
    },
    eth_blockNumber: () => `0x${(4 + Math.min(questions, depth)).toString(16)}`,
    eth_getBlockByNumber: () => ({ hash: RECEIPT.blockHash }),
  };
  const call = async <Result>(method: string): Promise<Result> => answers[method]?.() as Result;
  const ask = async <Result>(method: string) =>
    ({ ok: true, result: await call<Result>(method) }) as const;
  const rpc: ChainRpc = { call, ask };
  return { rpc, count: () => questions };
}
