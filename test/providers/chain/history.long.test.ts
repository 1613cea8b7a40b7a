import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { forgetFirstBlocks, loadPayer, settleMany } from '../../support/chain-load.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ALL = { fromBlock: '0x0', toBlock: 'latest' };

interface Log {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly address: string;
  readonly topics: readonly string[];
}

const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

function dataDir(): string {
  const folder = tempDir();
  undo.push(() => folder.remove());
  return folder.path;
}

async function open(path: string, checkpointRows = 60): Promise<NodePaymentChain> {
  const notice = () => undefined;
  const options = { dataDir: path, now: Date.now, notice, checkpointRows };
  return openPaymentChain({ kind: 'local', ...options });
}

function history(chain: NodePaymentChain, filter: object = ALL): Promise<readonly Log[]> {
  return nodeRpc(chain.historyUrl ?? '', 'eth_getLogs', filter) as Promise<readonly Log[]>;
}

function placeOf({ transactionHash, logIndex, topics }: Log): string {
  return `${transactionHash}:${logIndex}:${topics.join()}`;
}

/** Waits until the first block of the chain has left its node, with every log that it has now. */
async function forgetting(chain: NodePaymentChain, count: number): Promise<void> {
  const { pay } = await loadPayer(chain, count);
  await settleMany(chain, pay, { count, every: count, lanes: 16 });
  await forgetFirstBlocks(chain);
}

test('every log of a block that the node has forgotten is told, as the node told it', async () => {
  const path = dataDir();
  const chain = await open(path);
  const { pay } = await loadPayer(chain, 30);
  await settleMany(chain, pay, { count: 30, every: 30, lanes: 8 });
  const early = (await nodeRpc(chain.facts.rpcUrl, 'eth_getLogs', ALL)) as readonly Log[];
  expect(early.length).toBeGreaterThan(60);
  await forgetting(chain, 40);
  const whole = await history(chain);
  expect(whole.slice(0, early.length)).toEqual(early);
  expect(new Set(whole.map(placeOf)).size).toBe(whole.length);
  const order = whole.map(({ blockNumber }) => Number(blockNumber));
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  await chain.close();

  const again = await open(path);
  undo.push(() => again.close());
  expect((await history(again)).map(placeOf)).toEqual(whole.map(placeOf));
}, 60_000);

test('a filter finds in the archive what it would find in a node', async () => {
  const chain = await open(dataDir());
  undo.push(() => chain.close());
  await forgetting(chain, 70);
  const whole = await history(chain);
  const transfer = whole.find(({ topics }) => topics.length === 3);
  const [topic = '', from = '', to = ''] = transfer?.topics ?? [];
  const { treasury, token } = chain.facts;
  const padded = `0x${treasury.slice(2).toLowerCase().padStart(64, '0')}`;
  const by = (fits: (log: Log) => boolean) => whole.filter(fits).map(placeOf);
  const asked: readonly [object, (log: Log) => boolean][] = [
    [
      { address: token.toUpperCase().replace('0X', '0x') },
      (log) => log.address === token.toLowerCase(),
    ],
    [{ topics: [topic] }, ({ topics }) => topics[0] === topic],
    [
      { topics: [[topic], null, padded] },
      ({ topics }) => topics[0] === topic && topics[2] === padded,
    ],
    [{ topics: [null, from, [to]] }, ({ topics }) => topics[1] === from && topics[2] === to],
    // The words are all in the logs, at other places.
    [{ topics: [from] }, () => false],
    [{ topics: [null, to] }, ({ topics }) => topics[1] === to],
    [{ topics: [null, null, null, topic] }, () => false],
    [{ address: [], topics: [[]] }, ({ topics }) => topics.length > 0],
    [{ address: [`0x${'12'.repeat(20)}`] }, () => false],
  ];
  for (const [filter, fits] of asked) {
    const found = await history(chain, { ...ALL, ...filter });
    expect(found.map(placeOf), JSON.stringify(filter)).toEqual(by(fits));
  }
  const middle = whole[Math.floor(whole.length / 2)]?.blockNumber ?? '0x0';
  const part = await history(chain, { fromBlock: '0x2', toBlock: middle });
  const isIn = ({ blockNumber }: Log) =>
    Number(blockNumber) >= 2 && Number(blockNumber) <= Number(middle);
  expect(part.map(placeOf)).toEqual(by(isIn));
}, 60_000);

test('blocks that a restart made anew are told once, from where they stand now', async () => {
  const path = dataDir();
  const chain = await open(path);
  await forgetting(chain, 70);
  const before = await history(chain);
  await chain.close();
  // Without its state the chain is built again out of the kept transactions, in other blocks.
  for (const name of ['state.gz', 'state.gz.before'])
    rmSync(join(path, 'chain', name), { force: true });
  const again = await open(path);
  undo.push(() => again.close());
  const after = await history(again);
  const sent = (logs: readonly Log[]) => logs.map(({ transactionHash }) => transactionHash).sort();
  expect(sent(after)).toEqual(sent(before));
  const node = (await nodeRpc(again.facts.rpcUrl, 'eth_getLogs', ALL)) as readonly Log[];
  expect(after).toEqual(node);
}, 60_000);

test('a file that is lost is a gap that is told, not passed over', async () => {
  const path = dataDir();
  const chain = await open(path);
  await forgetting(chain, 70);
  await chain.close();
  const folder = join(path, 'chain', 'logs');
  const [first = ''] = readdirSync(folder).sort(
    (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
  );
  rmSync(join(folder, first));
  const again = await open(path);
  undo.push(() => again.close());
  await expect(history(again)).rejects.toThrow(/Logs start at block \d+\./);
  const told = await nodeRpc(again.historyUrl ?? '', 'eth_capabilities');
  expect(Number(Object(told).logs.oldestBlock)).toBeGreaterThan(1);
}, 60_000);

test('the address reads only, and refuses what is malformed, huge or meant for another host', async () => {
  const chain = await open(dataDir());
  undo.push(() => chain.close());
  const url = chain.historyUrl ?? '';
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { method: 'POST', body, headers });
    const text = await answer.text();
    return { status: answer.status, told: text === '' ? undefined : JSON.parse(text) };
  };
  const call = (method: string, ...params: unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  for (const method of ['anvil_setBalance', 'evm_mine', 'eth_sendRawTransaction', 'constructor']) {
    expect((await post(call(method))).told.error.code, method).toBe(-32_601);
  }
  expect((await post(call('eth_chainId'))).told).toMatchObject({ id: 1, result: '0x7a69' });
  for (const body of [
    '',
    '{',
    '[]',
    '7',
    '{"jsonrpc":"2.0","id":1}',
    `[${`${call('x')},`.repeat(100)}1]`,
  ]) {
    expect((await post(body)).told.error.code, body.slice(0, 30)).toBe(-32_600);
  }
  for (const filter of [
    { fromBlock: 'soon' },
    { topics: 'x' },
    { address: 5 },
    { fromBlock: '0x9', toBlock: '0x1' },
  ]) {
    expect((await post(call('eth_getLogs', filter))).told.error.code).toBe(-32_602);
  }
  expect((await post(' '.repeat(300_000))).status).toBe(413);
  expect((await fetch(url)).status).toBe(405);
  const { request } = await import('node:http');
  const status = await new Promise((done) => {
    const asking = request(url, { method: 'POST', headers: { host: 'evil.example' } }, (answer) =>
      done(answer.statusCode),
    );
    asking.end(call('eth_chainId'));
  });
  expect(status).toBe(421);
}, 120_000);
