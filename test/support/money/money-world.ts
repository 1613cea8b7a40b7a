import { join } from 'node:path';
import { encodeAbiParameters, type Hex, keccak256, toHex } from 'viem';
import { vi } from 'vitest';
import type { NodePaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { createPayer, type Payer } from '../payer.ts';
import { type SecondChain, secondChain } from '../second-chain.ts';
import { tempDir } from '../temp-dir.ts';
import { FAULTY_URL, FaultyNode } from './faulty-node.ts';
import { answerRequests } from './in-process-http.ts';
import { type Asked, type IpcNode, ipcNode } from './ipc-node.ts';
import { FEED_URL, type MoneyFeed, moneyFeed } from './money-feed.ts';
import { passVirtually, VirtualTime } from './virtual-time.ts';

/**
 * A node on which a server can be played again and again: each run begins with the same blocks, in
 * which there are contracts, buyers with money, and a treasury without any.
 */
export interface MoneyWorld {
  readonly chain: SecondChain;
  readonly node: IpcNode;
  readonly time: VirtualTime;
  readonly faulty: FaultyNode;
  readonly feed: MoneyFeed;
  /** The chain as it is, without a relay. */
  readonly truth: NodePaymentChain;
  /** One with ten dollars. */
  readonly buyer: Payer;
  /** One with a quarter, and one without money. */
  readonly poor: Payer;
  readonly broke: Payer;
  /** One of nobody's, with money and coins for gas. */
  readonly stranger: Payer;
  /** The first block of a run. */
  readonly firstBlock: number;
  /** Numbers from 0 up to 1, of the run. */
  readonly chance: { next: () => number };
  /** Puts everything back to the first block. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** What a call costs, in micro-dollars. */
export const PRICE = '250000';
/** What a buyer has, and what a job costs. */
export const JOB = '10000000';
/** Milliseconds between two blocks. */
export const BLOCK_MS = 2_000;
/** Blocks that make a transaction final: the node never replaces so many. */
export const CONFIRMATIONS = 2;
const ETHER = toHex(10n ** 20n);

/** Starts the node. Every request of this process goes to it from now on. */
export async function moneyWorld(): Promise<MoneyWorld> {
  const folder = tempDir();
  const socket = join(folder.path, 'node.ipc');
  const chain = await secondChain(0, socket);
  const ipc = await ipcNode(socket);
  const [buyer, poor, broke, stranger] = [
    ...[createPayer(), createPayer()],
    ...[createPayer(), createPayer()],
  ] as const;
  await give(ipc, chain.token, buyer.address, JOB);
  await give(ipc, chain.token, stranger.address, `${JOB}00`);
  await give(ipc, chain.token, poor.address, PRICE);
  await ipc.call('anvil_setBalance', stranger.address, ETHER);
  await ipc.call('anvil_autoImpersonateAccount', true);
  await ipc.call('evm_setAutomine', false);
  await ipc.call('anvil_setBlockTimestampInterval', BLOCK_MS / 1_000);
  for (let made = 0; made < 5; made += 1) await ipc.call('evm_mine');
  const firstBlock = Number(await ipc.call<Hex>('eth_blockNumber'));
  const startMs = (await chain.nowS()) * 1_000;
  let snapshot = await ipc.call<string>('evm_snapshot');

  const time = new VirtualTime(startMs);
  const outside = { send: (asked: Asked) => time.outside(ipc.send(asked)) };
  const node: IpcNode = {
    ...outside,
    close: ipc.close,
    call: (method, ...params) => time.outside(ipc.call(method, ...params)),
  };
  const chance = { next: () => 0 };
  const faulty = new FaultyNode({ node, time, random: () => chance.next() });
  faulty.firstBlock = firstBlock;
  const feed = moneyFeed();
  const undo = passVirtually(time);
  const stop = answerRequests((url, asked, timeoutMs) =>
    url.startsWith(FAULTY_URL) ? faulty.answer(url, asked, timeoutMs) : node.send(asked),
  );
  vi.stubGlobal('fetch', async (input: unknown, { body }: RequestInit = {}) => {
    const url = String(input);
    if (url.startsWith(FEED_URL)) return feed.answer(url);
    return Response.json(await node.send(JSON.parse(body as string) as Asked));
  });
  const truth = await time.until(chain.open({ confirmations: 1, now: time.now }));
  return {
    chain,
    node,
    time,
    faulty,
    feed,
    truth,
    buyer,
    poor,
    broke,
    stranger,
    firstBlock,
    chance,
    reset: async () => {
      await ipc.call('evm_revert', snapshot);
      await ipc.call('anvil_dropAllTransactions');
      snapshot = await ipc.call('evm_snapshot');
      time.reset(startMs);
      feed.events = [];
    },
    close: async () => {
      await truth.close();
      undo();
      stop();
      ipc.close();
      await chain.close();
      folder.remove();
    },
  };
}

/** Puts money into the token's first slot, the balances. */
async function give(node: IpcNode, token: Hex, to: Hex, amount: string): Promise<void> {
  const cell = keccak256(encodeAbiParameters(SLOT, [to, 0n]));
  await node.call('anvil_setStorageAt', token, cell, toHex(BigInt(amount), { size: 32 }));
}

const SLOT = [{ type: 'address' }, { type: 'uint256' }] as const;
