import { join } from 'node:path';
import { type Hex, parseTransaction } from 'viem';
import { afterEach, expect, test } from 'vitest';
import type { ChainRpc } from '../../../src/providers/chain/chain-rpc.ts';
import { openRawJournal } from '../../../src/providers/chain/local/raw-journal.ts';
import { createRelayer } from '../../../src/providers/chain/relayer.ts';
import { createReplaceStuck } from '../../../src/providers/chain/replace-stuck.ts';
import { createDigestSigner, generateKey } from '../../../src/providers/chain/signature.ts';
import { tempDir } from '../../support/temp-dir.ts';

const GWEI = 10n ** 9n;
const TO = `0x${'aa'.repeat(20)}` as const;

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

/** A node that takes everything and makes no block. */
async function stuckQueue() {
  const folder = tempDir();
  const journal = openRawJournal(join(folder.path, 'raw.jsonl'));
  undo.push(journal.close, folder.remove);
  const pool = new Map<string, Hex>();
  const state = { count: 0, market: GWEI, now: 1_800_000_000_000, refuses: false };
  const rpc: ChainRpc = {
    call: async (method, [of]) => {
      const known = pool.has(String(of)) ? { blockNumber: null } : null;
      const counted = `0x${(method.includes('Count') ? state.count : 0).toString(16)}`;
      return (method === 'eth_getTransactionByHash' ? known : counted) as never;
    },
    ask: async (_method, [raw]) => {
      if (state.refuses) return { ok: false, refusal: { message: 'underpriced', data: undefined } };
      const { hash = '' } = journal.rows().find((row) => row.raw === raw) ?? {};
      const { nonce } = parseTransaction(raw as Hex);
      for (const [other, held] of pool) {
        if (parseTransaction(held).nonce === nonce) pool.delete(other);
      }
      pool.set(hash, raw as Hex);
      return { ok: true, result: hash as never };
    },
  };
  const fees = async () => ({ maxFeePerGas: 2n * state.market, maxPriorityFeePerGas: 0n });
  const parts = {
    rpc,
    journal,
    operator: createDigestSigner(generateKey()),
    fees,
    now: () => state.now,
  };
  const relayer = createRelayer({ ...parts, chainId: 8_453 });
  for (const key of ['first', 'second']) {
    await relayer.send({ to: TO, data: '0x12', gas: 50_000n, key });
  }
  const inPool = () => [...pool.values()].map((raw) => parseTransaction(raw));
  return { state, journal, inPool, unstick: createReplaceStuck(parts) };
}

test('the first of the queue is sent again with an eighth more, and only it', async () => {
  const { state, inPool, unstick } = await stuckQueue();
  const [before] = inPool();
  state.now += 29_000;
  expect(await unstick()).toBeUndefined();
  state.now += 1_000;
  const replaced = await Promise.all([unstick(), unstick()]);
  expect(replaced[0]).toEqual(replaced[1]);
  expect(replaced[0]).toMatchObject({ key: 'first', costWei: 50_000n * 2_250_000_001n });
  const after = inPool().find(({ nonce }) => nonce === 0);
  expect(after).toMatchObject({
    chainId: 8_453,
    to: TO,
    data: '0x12',
    gas: before?.gas,
    maxFeePerGas: 2_250_000_001n,
    maxPriorityFeePerGas: 1n,
  });
  expect(inPool().map(({ nonce }) => nonce)).toEqual([1, 0]);
});

test('what waits behind it is replaced in its turn', async () => {
  const { state, unstick } = await stuckQueue();
  state.now += 30_000;
  expect((await unstick())?.key).toBe('first');
  state.count = 1;
  expect((await unstick())?.key).toBe('second');
  state.count = 2;
  expect(await unstick()).toBeUndefined();
});

test('it follows the market up to ten times of what was offered first', async () => {
  const { state, inPool, unstick } = await stuckQueue();
  state.now += 30_000;
  state.market = 10n * GWEI;
  await unstick();
  expect(inPool().find(({ nonce }) => nonce === 0)?.maxFeePerGas).toBe(20n * GWEI);
  state.now += 30_000;
  expect(await unstick()).toBeUndefined();
  const other = await stuckQueue();
  other.state.now += 30_000;
  other.state.market = 10n * GWEI + 1n;
  expect(await other.unstick()).toBeUndefined();
});

test('one that was written down and never sent does not hold the next one up', async () => {
  const { state, journal, unstick } = await stuckQueue();
  state.now += 30_000;
  const [first] = journal.rows();
  if (first === undefined) throw new Error('nothing was sent');
  await journal.append([{ ...first, hash: `0x${'ee'.repeat(32)}` }]);
  expect((await unstick())?.key).toBe('first');
});

test('a replacement that the node refuses stays known: the node may have taken it', async () => {
  const { state, journal, unstick } = await stuckQueue();
  state.now += 30_000;
  state.refuses = true;
  expect(await unstick()).toBeUndefined();
  expect(journal.hashesOf('first')).toHaveLength(2);
});
