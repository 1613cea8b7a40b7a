import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { findAnvilBinary } from '../../../../src/providers/chain/local/anvil-binary.ts';
import {
  findRecordedProcess,
  writeProcessRecord,
} from '../../../../src/providers/chain/local/process-record.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../../src/providers/payment/payment-chain.ts';
import { nodeRpc, until } from '../../../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../../../support/payer.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const undo: (() => unknown)[] = [];
const notices: string[] = [];

afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
  notices.length = 0;
});

test('a second start finds the same chain, money, keys and token', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  const { payer, payload, settled } = await paid(first);
  await first.close();
  const second = await open(dataDir);
  expect(second.facts).toEqual(first.facts);
  expect(await second.balance(payer.address)).toBe('750000');
  expect(await second.queryOutcome(payload)).toEqual(settled);
  expect((await second.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
  await booksBalance(second);
}, 120_000);

test('a refund token pays once also after a restart', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  await first.faucet(first.facts.treasury, '1000000');
  const order = { to: createPayer().address, amount: '250000', token: 'job:7:refund' };
  const outcome = await first.transfer(order);
  await first.close();
  const second = await open(dataDir);
  expect(await second.transfer(order)).toEqual(outcome);
  expect(await second.balance(order.to)).toBe('250000');
  await booksBalance(second);
}, 120_000);

test('a node that is killed comes back with every payment that was settled', async () => {
  const chain = await open(freshDir());
  const before = await paid(chain);
  process.kill(chain.nodePid() ?? 0, 'SIGKILL');
  const after = await paid(chain);
  expect(await chain.balance(before.payer.address)).toBe('750000');
  expect(await chain.balance(after.payer.address)).toBe('750000');
  expect(notices.join()).toContain('starting again');
  expect(await chain.queryOutcome(before.payload)).toMatchObject({ state: 'settled' });
  await booksBalance(chain);
}, 120_000);

test('payments under way while the node is killed settle once or stay unspent', async () => {
  const chain = await open(freshDir());
  const payer = await funded(chain, '10000000');
  const offer = requirementsOf(chain.facts);
  const payloads = await Promise.all(Array.from({ length: 20 }, () => payer.pay(offer)));
  const settling = payloads.map((each) => chain.settle(each));
  await settling[2];
  process.kill(chain.nodePid() ?? 0, 'SIGKILL');
  await Promise.all(settling);
  const final = await Promise.all(payloads.map((each) => chain.settle(each)));
  expect(final.map((each) => each.state)).toEqual(Array(20).fill('settled'));
  expect(await chain.balance(payer.address)).toBe('5000000');
  await booksBalance(chain);
}, 120_000);

test('a chain that lost its last blocks gets them again, though they have run out', async () => {
  const dataDir = freshDir();
  const state = join(dataDir, 'chain', 'state.gz');
  const first = await open(dataDir);
  const payer = await funded(first, '1000000');
  await until(() => isFile(state));
  await first.close();
  copyFileSync(state, `${state}.old`);

  const second = await open(dataDir);
  const offer = requirementsOf(second.facts, { maxTimeoutSeconds: 4 });
  const payload = await payer.pay(offer);
  expect((await second.settle(payload)).state).toBe('settled');
  await second.close();
  copyFileSync(`${state}.old`, state);

  await sleep(5_500);
  const third = await open(dataDir);
  expect(notices.join()).toContain('1 stored transaction');
  expect(await third.balance(payer.address)).toBe('750000');
  expect(await third.queryOutcome(payload)).toMatchObject({ state: 'settled' });
  await paid(third);
  expect(Math.abs((await blockTimeS(third)) - Date.now() / 1000)).toBeLessThan(4);
  await booksBalance(third);
}, 120_000);

test('a chain without any state is built again from the kept transactions', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  const { payer } = await paid(first);
  await first.close();
  rmSync(join(dataDir, 'chain', 'state.gz'));
  const second = await open(dataDir);
  expect(second.facts.token).toBe(first.facts.token);
  expect(await second.balance(payer.address)).toBe('750000');
  await booksBalance(second);
}, 120_000);

test('the time of the chain goes on from its last block, after a death of the node to the second', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  await nodeRpc(first.facts.rpcUrl, 'evm_increaseTime', 73 * 3_600);
  await nodeRpc(first.facts.rpcUrl, 'evm_mine');
  const before = await blockTimeS(first);
  await first.close();
  const second = await open(dataDir);
  expect(await blockTimeS(second)).toBe(before);
  await second.faucet(second.facts.treasury, '1000000');
  const funded = await blockTimeS(second);
  expect(funded).toBeGreaterThanOrEqual(before);
  // What the state lacks is replayed; the node's clock must not fall back after that either.
  process.kill(second.nodePid() ?? 0, 'SIGKILL');
  await second.faucet(second.facts.treasury, '1000000');
  await until(() => notices.join().includes('stored transaction(s)'));
  await second.faucet(second.facts.treasury, '1000000');
  // A block that only the dead node had is made again; its second is rounded anew.
  expect(await blockTimeS(second)).toBeGreaterThanOrEqual(funded - 1);
}, 120_000);

test('a chain that is not the recorded one is refused and its files are kept', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  await first.close();
  for (const name of ['state.gz', 'raw.jsonl']) rmSync(join(dataDir, 'chain', name));
  const record = readFileSync(join(dataDir, 'chain', 'local.json'), 'utf8');
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(readFileSync(join(dataDir, 'chain', 'local.json'), 'utf8')).toBe(record);
}, 120_000);

test('the node that a killed process left is ended, and what only it knew is kept', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  await first.close();
  const node = await leftover(dataDir, first.facts.rpcUrl, true);
  const state = readFileSync(join(dataDir, 'chain', 'state.gz')).toString('hex');
  await nodeRpc(first.facts.rpcUrl, 'anvil_loadState', `0x${state}`);
  await nodeRpc(first.facts.rpcUrl, 'anvil_mine', '0x5');
  const block = await nodeRpc<string>(first.facts.rpcUrl, 'eth_blockNumber');

  const second = await open(dataDir);
  expect(node.exitCode ?? node.signalCode).not.toBeNull();
  expect(second.nodePid()).not.toBe(node.pid);
  expect(await nodeRpc(second.facts.rpcUrl, 'eth_blockNumber')).toBe(block);
}, 120_000);

test('a node that was left before it was up to date does not overwrite the kept state', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  const { payer } = await paid(first);
  await first.close();
  rmSync(join(dataDir, 'chain', 'raw.jsonl'));
  const node = await leftover(dataDir, first.facts.rpcUrl, false);
  const second = await open(dataDir);
  expect(node.exitCode ?? node.signalCode).not.toBeNull();
  expect(await second.balance(payer.address)).toBe('750000');
}, 120_000);

test('a process that only has the recorded id is not taken for ours', () => {
  const file = join(freshDir(), 'anvil.json');
  writeProcessRecord(file, { pid: process.pid, port: 8545, isReady: true });
  expect(findRecordedProcess(file, ['no-such-program'])).toBeUndefined();
  const record = JSON.parse(readFileSync(file, 'utf8'));
  const words = [process.execPath];
  writeFileSync(file, JSON.stringify({ ...record, started: '1' }));
  expect(findRecordedProcess(file, words)).toBeUndefined();
  writeFileSync(file, '{"pid":');
  expect(findRecordedProcess(file, words)).toBeUndefined();
});

test('a copy beside the running original takes neither its node nor its port', async () => {
  const dataDir = freshDir();
  const first = await open(dataDir);
  const { payer } = await paid(first);
  const pid = first.nodePid();
  for (let each = 0; each < 2; each += 1) {
    const copied = join(freshDir(), 'copied');
    cpSync(dataDir, copied, { recursive: true });
    const copy = await open(copied);
    expect(copy.facts.rpcUrl).not.toBe(first.facts.rpcUrl);
    expect(copy.nodePid()).not.toBe(pid);
    await copy.faucet(payer.address, '1');
    await copy.close();
    expect(first.nodePid()).toBe(pid);
    expect(await first.balance(payer.address)).toBe('750000');
  }
}, 120_000);

test('keys are made once, in a file that only its owner reads', async () => {
  const dataDir = freshDir();
  const chain = await open(dataDir);
  const file = join(dataDir, 'chain', 'keys.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { operator, treasury } = JSON.parse(readFileSync(file, 'utf8'));
  const told = JSON.stringify([chain.facts, notices]);
  for (const key of [operator, treasury]) expect(told).not.toContain(key.slice(2));
  await chain.close();
  writeFileSync(file, '{}');
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(readFileSync(file, 'utf8')).toBe('{}');
}, 120_000);

test('a platform without a node is told what to install', () => {
  expect(() => findAnvilBinary('sunos', 'sparc')).toThrow(/npm install/);
});

/** Runs an empty node as if a process of this data directory had left it. */
async function leftover(dataDir: string, rpcUrl: string, isReady: boolean): Promise<ChildProcess> {
  const port = Number(new URL(rpcUrl).port);
  const node = spawn(findAnvilBinary(), ['--port', String(port), '--chain-id', '31337', '--quiet']);
  undo.push(() => node.kill('SIGKILL'));
  await until(() => isAnswering(rpcUrl));
  writeProcessRecord(join(dataDir, 'chain', 'anvil.json'), { pid: node.pid ?? 0, port, isReady });
  return node;
}

function freshDir(): string {
  const folder = tempDir();
  undo.push(folder.remove);
  return folder.path;
}

async function open(dataDir: string): Promise<NodePaymentChain> {
  const notice = (line: string) => void notices.push(line);
  const chain = await openPaymentChain({ kind: 'local', dataDir, now: Date.now, notice });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= chain.close());
  undo.push(close);
  return { ...chain, close };
}

async function funded(chain: NodePaymentChain, amount: string) {
  const payer = createPayer();
  await chain.faucet(payer.address, amount);
  return payer;
}

async function paid(chain: NodePaymentChain) {
  const payer = await funded(chain, '1000000');
  const payload = await payer.pay(requirementsOf(chain.facts));
  const settled = await chain.settle(payload);
  expect(settled.state).toBe('settled');
  return { payer, payload, settled };
}

/** The sum of all transfer logs of every address is its balance. */
async function booksBalance({ facts, balance }: NodePaymentChain): Promise<void> {
  const filter = { address: facts.token, fromBlock: '0x0', topics: [TRANSFER] };
  const logs = await nodeRpc<{ topics: string[]; data: string }[]>(
    facts.rpcUrl,
    'eth_getLogs',
    filter,
  );
  const sums = new Map<string, bigint>();
  for (const { topics, data } of logs) {
    const [, from = '', to = ''] = topics.map((topic) => `0x${topic.slice(-40)}`);
    sums.set(from, (sums.get(from) ?? 0n) - BigInt(data));
    sums.set(to, (sums.get(to) ?? 0n) + BigInt(data));
  }
  sums.delete(`0x${'0'.repeat(40)}`);
  expect(sums.size).toBeGreaterThan(0);
  for (const [address, sum] of sums) expect(await balance(address)).toBe(sum.toString());
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

async function blockTimeS({ facts }: NodePaymentChain): Promise<number> {
  const block = await nodeRpc<{ timestamp: string }>(
    facts.rpcUrl,
    'eth_getBlockByNumber',
    'latest',
    false,
  );
  return Number(block.timestamp);
}

async function isAnswering(rpcUrl: string): Promise<boolean> {
  try {
    return (await nodeRpc<string>(rpcUrl, 'eth_chainId')) === '0x7a69';
  } catch {
    return false;
  }
}
