import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../../src/config.ts';
import type { PaymentPayload } from '../../../src/domain/payment/payment.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { createBazaarExtension } from '../../../src/tools/payment/bazaar.ts';
import {
  type FacilitatorFault,
  type FacilitatorServer,
  facilitatorServer,
} from '../../support/facilitator-server.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { createPayer, type Payer, requirementsOf } from '../../support/payer.ts';
import { secondChain } from '../../support/second-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';

// The facilitator is that of the public packages, behind HTTP on this machine.

const PRICE = '250000';
const LIMITS_MS = { supported: 5_000, verify: 5_000, settle: 1_000, proof: 3_000 };
const notice = () => undefined;

const folder = tempDir();
let facilitator: FacilitatorServer;
let chain: NodePaymentChain;
let payer: Payer;

beforeAll(async () => {
  facilitator = await facilitatorServer();
  chain = await openPaymentChain({
    kind: 'local',
    dataDir: folder.path,
    now: Date.now,
    notice,
    facilitator: { url: facilitator.url, authorization: 'Bearer planted', limitsMs: LIMITS_MS },
  });
  facilitator.rpcUrl = chain.facts.rpcUrl;
  payer = createPayer();
  await chain.faucet(payer.address, '10000000');
}, 60_000);
afterEach(() => {
  facilitator.fault = 'none';
  facilitator.asked.length = 0;
});
afterAll(async () => {
  await chain.close();
  await facilitator.close();
  folder.remove();
});

test('a payment is verified and settled by the facilitator, at its cost and under its key', async () => {
  const payload = await sign();
  const before = await treasury();
  expect(await chain.checkOnChain(payload)).toBeUndefined();
  const outcome = await chain.settle(payload);
  if (outcome.state !== 'settled') throw new Error(JSON.stringify(outcome));
  const { from } = await nodeRpc<{ from: string }>(
    chain.facts.rpcUrl,
    'eth_getTransactionByHash',
    outcome.transaction,
  );
  expect(from.toLowerCase()).toBe(facilitator.address.toLowerCase());
  expect((await treasury()) - before).toBe(BigInt(PRICE));
  expect(facilitator.asked).toEqual(['verify', 'settle']);
  expect([...facilitator.authorizations]).toEqual(['Bearer planted']);
});

test('a settled payment is never presented again', async () => {
  const payload = await sign();
  const first = await chain.settle(payload);
  const [second, third] = await Promise.all([chain.settle(payload), chain.settle(payload)]);
  expect(first.state).toBe('settled');
  expect([second, third]).toEqual([first, first]);
  expect(facilitator.asked).toEqual(['settle']);
});

test('what the facilitator rejects is refused before any work, with its reason', async () => {
  // Its server is told another price than was signed; the own checks see the signed one.
  const accepted = requirementsOf(chain.facts, { amount: '1' });
  const fault = await chain.checkOnChain({ ...(await sign()), accepted });
  expect(fault).toMatchObject({ code: 'SETTLEMENT_FAILED' });
  expect(fault?.message).toMatch(/facilitator rejects/);
  expect(facilitator.asked).toEqual(['verify']);
});

test.each<FacilitatorFault>(['late', 'drop', 'deny'])(
  'a facilitator that settles and answers wrongly (%s) changes nothing: the chain decides',
  async (fault) => {
    const payload = await sign();
    const before = await treasury();
    facilitator.fault = fault;
    const outcome = await chain.settle(payload);
    expect(outcome.state).toBe('settled');
    expect(await chain.settle(payload)).toEqual(outcome);
    expect((await treasury()) - before).toBe(BigInt(PRICE));
    expect(facilitator.asked).toEqual(['settle']);
  },
);

test.each<FacilitatorFault>(['error', 'lie', 'hang'])(
  'a facilitator that did not settle (%s) leaves the outcome unknown, and nothing is lost',
  async (fault) => {
    const payload = await sign();
    const before = await treasury();
    facilitator.fault = fault;
    const outcome = await chain.settle(payload);
    expect(outcome).toMatchObject({ state: 'unknown', transaction: null });
    expect(await chain.queryOutcome(payload)).toEqual({ state: 'unspent' });
    expect(await treasury()).toBe(before);
    facilitator.fault = 'none';
    expect(await chain.settle(payload)).toMatchObject({ state: 'settled' });
    expect((await treasury()) - before).toBe(BigInt(PRICE));
  },
);

test('a start refuses a facilitator that is down', async () => {
  const away = await opened({ url: 'http://127.0.0.1:1' }).catch((thrown: unknown) => thrown);
  expect(away).toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
});

test.each([
  ['another network', { kinds: [kind({ network: 'eip155:1' })] }],
  ['another scheme', { kinds: [kind({ scheme: 'upto' })] }],
  ['an old version', { kinds: [kind({ x402Version: 1 })] }],
  ['nothing', { kinds: [] }],
])('a start refuses a facilitator for %s, and says what to do', async (_what, supported) => {
  const url = await answering(200, supported);
  const refused = await opened({ url }).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(String(refused)).toMatch(/does not settle exact on eip155:8453.*STOA_FACILITATOR_URL/);
});

test.each([
  [500, { error: 'x' }],
  [200, { no: 'kinds' }],
  [302, {}],
])('a start refuses what does not answer as a facilitator (%s)', async (status, body) => {
  const url = await answering(status, body);
  const refused = await opened({ url: `${url}/secret-key` }).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
  expect(JSON.stringify(refused) + String(refused)).not.toContain('secret-key');
});

test('extra terms of a facilitator are kept for the payment requirements', async () => {
  const extra = { feePayer: '0xabc' };
  const open = await opened({ url: await answering(200, { kinds: [kind({ extra })] }) });
  expect(open.facts.facilitatorExtra).toEqual(extra);
});

test('on an external chain, what a facilitator settled is claimed for this server', async () => {
  const server = await facilitatorServer('eip155:8453');
  onTestFinished(() => server.close());
  const other = await external();
  server.rpcUrl = other.rpcUrl;
  await nodeRpc(other.rpcUrl, 'anvil_setBalance', server.address, '0x8ac7230489e80000');
  const open = await opened({ url: server.url });
  const buyer = createPayer();
  await other.mint(buyer.address, PRICE);
  const payload = await buyer.pay(requirementsOf(open.facts, { amount: PRICE }));
  expect(await open.checkOnChain(payload)).toBeUndefined();
  const outcome = await open.settle(payload);
  expect(outcome).toMatchObject({ state: 'settled' });
  expect(await open.balance(open.facts.treasury)).toBe(PRICE);
  // A second server on the same treasury does not sell the same payment again.
  const rival = await opened({ url: server.url });
  expect(await rival.settle(payload)).toMatchObject({
    state: 'failed',
    fault: { code: 'PAYMENT_REPLAYED' },
  });
}, 120_000);

test('the facilitator lists the tool from what the server shows it, whatever the client echoes', async () => {
  const tool = { name: 'oracle_price-feed', title: 'Prices', description: 'Prices.', example: {} };
  const payload = {
    ...(await sign()),
    resource: { url: 'https://stoa.example/mcp#oracle_price-feed', description: 'Prices' },
    extensions: { ...createBazaarExtension(tool as never, 'mcp', { type: 'object' }) },
  };
  expect(await chain.settle(payload)).toMatchObject({ state: 'settled' });
  expect(facilitator.listed.at(-1)).toMatchObject({
    toolName: 'oracle_price-feed',
    resourceUrl: 'https://stoa.example/mcp',
  });
});

test('settings: https or this machine; the URL, which may hold a key, is never repeated', () => {
  const read = (env: Record<string, string>) => parseConfig([], env).facilitator;
  expect(read({})).toBeUndefined();
  const url = 'https://facilitator.example/v2';
  expect(read({ STOA_FACILITATOR_URL: `${url}/` })).toEqual({ url });
  const authorization = 'Bearer x';
  expect(
    read({ STOA_FACILITATOR_URL: url, STOA_FACILITATOR_AUTHORIZATION: authorization }),
  ).toEqual({ url, authorization });
  const plain = () => read({ STOA_FACILITATOR_URL: 'http://facilitator.example/secret-key' });
  expect(plain).toThrowError(/STOA_FACILITATOR_URL.*https/);
  expect(plain).not.toThrowError(/secret-key/);
  expect(() => read({ STOA_FACILITATOR_AUTHORIZATION: 'Bearer x' })).toThrowError(
    /STOA_FACILITATOR_URL/,
  );
});

function sign(): Promise<PaymentPayload> {
  return payer.pay(requirementsOf(chain.facts, { amount: PRICE }));
}

async function treasury(): Promise<bigint> {
  return BigInt(await chain.balance(chain.facts.treasury));
}

function kind(overrides: object) {
  return { x402Version: 2, scheme: 'exact', network: 'eip155:8453', ...overrides };
}

let started: ReturnType<typeof secondChain> | undefined;
function external() {
  started ??= secondChain(0);
  return started;
}
afterAll(async () => (await started)?.close());

/** Opens an external chain through a facilitator. */
async function opened({ url }: { readonly url: string }): Promise<NodePaymentChain> {
  const { rpcUrl, token, operatorKey, contracts } = await external();
  const dir = tempDir();
  const open = await openPaymentChain({
    kind: 'rpc',
    rpcUrl,
    token,
    operatorKey,
    contracts,
    confirmations: 1,
    dataDir: dir.path,
    now: Date.now,
    notice,
    facilitator: { url, limitsMs: { ...LIMITS_MS, settle: 10_000 } },
  });
  onTestFinished(async () => {
    await open.close();
    dir.remove();
  });
  return open;
}

/** A server that gives one answer to every request. */
async function answering(status: number, body: object): Promise<string> {
  const server = createServer((_request, response) => {
    const location = status === 302 ? { location: 'http://127.0.0.1:1/' } : {};
    response.writeHead(status, { 'content-type': 'application/json', ...location });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
