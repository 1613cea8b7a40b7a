import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChainRpc } from '../../../../src/providers/chain/chain-rpc.ts';
import { openRawJournal } from '../../../../src/providers/chain/local/raw-journal.ts';
import { replayMissing } from '../../../../src/providers/chain/local/replay.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test('of two transactions with one nonce the later is sent again, and none that is known', async () => {
  const folder = tempDir();
  const journal = openRawJournal(join(folder.path, 'raw.jsonl'));
  const row = (nonce: number, raw: `0x${string}`) => ({ nonce, raw, hash: raw, atS: 5 });
  await journal.append([row(0, '0xa0'), row(1, '0xb0'), row(1, '0xb1'), row(2, '0xc0')]);
  const { rpc, sent } = fakeNode(1);
  const parts = { rpc, kept: journal.rows, sender: '0x01', now: () => 9_000 } as const;
  expect(await replayMissing(parts)).toBe(2);
  expect(sent).toEqual(['0xb1', '0xc0']);
  journal.close();
  folder.remove();
});

/** A node that knows `count` transactions and takes every further one. */
function fakeNode(count: number): { readonly rpc: ChainRpc; readonly sent: unknown[] } {
  const sent: unknown[] = [];
  const answers: Readonly<Record<string, unknown>> = {
    eth_getTransactionCount: `0x${count}`,
    eth_getBlockByNumber: { timestamp: '0x1' },
    eth_getTransactionReceipt: { status: '0x1' },
  };
  const call = async <Result>(method: string, params: readonly unknown[]) => {
    if (method === 'eth_sendRawTransaction') sent.push(...params);
    return (answers[method] ?? null) as Result;
  };
  const ask = async <Result>(method: string, params: readonly unknown[]) =>
    ({ ok: true, result: await call<Result>(method, params) }) as const;
  return { rpc: { call, ask }, sent };
}
