import type { Hex } from 'viem';
import { encodeAbiParameters, encodeEventTopics, numberToHex } from 'viem/utils';
import { expect, test } from 'vitest';
import type { ChainRpc } from '../../../src/providers/chain/chain-rpc.ts';
import { ESCROW_ABI } from '../../../src/providers/chain/trust/abi.ts';
import { type RawLog, readLogs } from '../../../src/providers/chain/trust/log-reader.ts';

const ESCROW = `0x${'e5'.repeat(20)}` as const;
const [PROVIDER, BUYER, TREASURY] = ['b2', 'a1', '77'].map((two) => `0x${two.repeat(20)}` as Hex);
const HASH = `0x${'1'.repeat(64)}` as const;
const key = (n: number) => `0x${String(n).repeat(64)}` as Hex;

interface Said {
  readonly transaction?: number;
  readonly topics: readonly unknown[];
  readonly data: Hex;
}

const amounts = (...values: readonly bigint[]) => {
  const types = values.map(() => ({ type: 'uint256' }) as const);
  return encodeAbiParameters(types, [...values]);
};
function released(n: number, net: bigint, transaction = 1): Said {
  const args = { key: key(n), provider: PROVIDER };
  const topics = encodeEventTopics({ abi: ESCROW_ABI, eventName: 'JobReleased', args });
  const types = [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }] as const;
  return { transaction, topics, data: encodeAbiParameters(types, [net, net / 4n, false]) };
}
function refunded(n: number, amount: bigint, transaction = 1): Said {
  const args = { key: key(n), buyer: BUYER };
  const topics = encodeEventTopics({ abi: ESCROW_ABI, eventName: 'JobRefunded', args });
  return { transaction, topics, data: amounts(amount) };
}
function owed(party: Hex | undefined, amount: bigint, transaction = 1): Said {
  const args = { party };
  const topics = encodeEventTopics({ abi: ESCROW_ABI, eventName: 'Owed', args } as never);
  return { transaction, topics, data: amounts(amount) };
}

/** The keys of ends that are owed, as the reader tells them. */
async function owedIn(...said: readonly Said[]): Promise<readonly string[]> {
  const raw = said.map(
    ({ transaction = 1, topics, data }, index): RawLog => ({
      topics: topics as RawLog['topics'],
      data,
      transactionHash: key(transaction),
      blockNumber: '0x1',
      blockHash: HASH,
      logIndex: numberToHex(index),
    }),
  );
  const answers: Readonly<Record<string, unknown>> = {
    eth_blockNumber: '0x1',
    eth_getBlockByNumber: { hash: HASH, timestamp: '0x64' },
    eth_getLogs: raw,
  };
  const rpc = { call: async (method: string) => answers[method] } as never as ChainRpc;
  const { logs } = await readLogs({ rpc, escrow: ESCROW, confirmations: 1 }, 0);
  return logs.flatMap(({ key: name, event }) => ('isOwed' in event ? [name] : []));
}

test('an end is owed where the escrow says so of its own party and amount', async () => {
  expect(await owedIn(released(1, 80n))).toEqual([]);
  expect(await owedIn(released(1, 80n), owed(PROVIDER, 80n))).toEqual([key(1)]);
  expect(await owedIn(refunded(1, 100n), owed(BUYER, 100n))).toEqual([key(1)]);
});

test('a treasury that cannot receive its fee leaves the provider paid', async () => {
  expect(await owedIn(released(1, 80n), owed(TREASURY, 20n))).toEqual([]);
  const both = [released(1, 80n), owed(PROVIDER, 80n), owed(TREASURY, 20n)];
  expect(await owedIn(...both)).toEqual([key(1)]);
});

test('of several ends in one transaction or block each has its own money', async () => {
  const first = [released(1, 80n), released(2, 40n), owed(PROVIDER, 40n)];
  expect(await owedIn(...first)).toEqual([key(2)]);
  const second = [released(1, 80n), owed(PROVIDER, 80n), refunded(2, 100n)];
  expect(await owedIn(...second)).toEqual([key(1)]);
  expect(await owedIn(released(1, 80n, 1), owed(PROVIDER, 80n, 2))).toEqual([]);
});
