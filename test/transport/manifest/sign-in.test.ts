import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
  wrapFetchWithSIWx,
} from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { definePayment } from '../../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../../src/actors/payment/payment-flow.ts';
import { SIGNED_IN_REPEAT_MS } from '../../../src/actors/payment/signed-in-answers.ts';
import { createSignIn } from '../../../src/actors/wallet/sign-in.ts';
import type { Tool } from '../../../src/domain/tool/tool.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { serviceRoutes } from '../../../src/transport/manifest/service-routes.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { memoryBlobs } from '../../support/debate.ts';
import { startFront, systemRandom } from '../../support/front-rig.ts';
import { memoryNonces } from '../../support/memory-nonces.ts';
import { memoryPaymentIds } from '../../support/memory-payment-ids.ts';
import { createPayer, type Payer } from '../../support/payer.ts';

// The clients are those of the public packages, unmodified.

const PRICE = 20_000n;
const FUNDS = 1_000_000n;
const HOST = '127.0.0.1';

/** A service that counts its runs. */
function countingTool(): Tool<{ subject: string }> {
  let runs = 0;
  return {
    server: 'commerce',
    name: 'count',
    title: 'Counts its runs',
    description: 'Counts its runs.',
    summary: 'Counts its runs.',
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    price: { amount: `${PRICE}`, flow: 'authorization' },
    input: z.strictObject({ subject: z.string() }),
    output: z.object({ run: z.number(), subject: z.string() }),
    example: { subject: 'a' },
    run: async ({ subject }) => {
      runs += 1;
      const structuredContent = { run: runs, subject };
      return {
        content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
        structuredContent,
      };
    },
  };
}

/** That service behind real payments and a real front. */
async function openShop() {
  const clock = new SimulatedClock(Date.now());
  const [payer, blobs, random] = [createPayer(), memoryBlobs(), systemRandom];
  const chain = createMemoryPaymentChain({
    now: () => clock.now(),
    balances: { [payer.address]: `${FUNDS}` },
  });
  const definitions = [definePayment({ chain })];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  let origin = `http://${HOST}`;
  const signIn = createSignIn({
    chain,
    clock,
    random,
    trust: chain.trust,
    nonces: memoryNonces(),
    origins: () => [origin],
  });
  const payments = new PaymentFlow({
    engine,
    chain,
    blobs,
    ids: memoryPaymentIds(),
    clock,
    random,
  });
  const services = createToolService({
    server: 'commerce',
    title: 'Services',
    version: '1',
    instructions: '',
    protocol: 'http',
    tools: [countingTool() as Tool],
    paid: { payments, challenger: createChallenger({ chain, clock, random }) },
    signIn,
  });
  const routes = serviceRoutes({
    services,
    labels: { labelOf: () => 'LIVE', changes: 0 },
    clock,
    limitsLocalCallers: false,
    signIn,
    baseUrl: async () => origin,
  });
  const { front, baseUrl } = await startFront('node', { routes });
  origin = baseUrl;
  onTestFinished(async () => {
    await front.close();
    await engine.close();
  });
  return {
    clock,
    payer,
    url: `${baseUrl}/v1/services/count`,
    network: chain.facts.network as `${string}:${string}`,
    token: chain.facts.token,
    spent: async () => FUNDS - BigInt(await chain.balance(payer.address)),
  };
}

let shop: Awaited<ReturnType<typeof openShop>>;
beforeEach(async () => {
  shop = await openShop();
});

test('the public client signs in and gets again what it bought, without paying', async () => {
  const bought = await read(await call(client(shop.payer)));
  const again = await read(await call(client(shop.payer)));
  expect(again).toEqual(bought);
  expect(bought).toEqual({ run: 1, subject: 'a' });
  expect(await shop.spent()).toBe(PRICE);
});

test('so does the public wrapper of fetch, which cannot pay', async () => {
  const bought = await read(await call(client(shop.payer)));
  const reader = wrapFetchWithSIWx(fetch, privateKeyToAccount(shop.payer.privateKey));
  expect(await read(await call(reader))).toEqual(bought);
  expect((await call(reader, 'b')).status).toBe(402);
  expect(await shop.spent()).toBe(PRICE);
});

test('another call, another wallet and a later day are paid for', async () => {
  await call(client(shop.payer));
  await read(await call(client(shop.payer), 'b'));
  expect(await shop.spent()).toBe(2n * PRICE);
  const stranger = wrapFetchWithSIWx(fetch, privateKeyToAccount(createPayer().privateKey));
  expect((await call(stranger)).status).toBe(402);
  await shop.clock.advance(SIGNED_IN_REPEAT_MS + 1);
  const reader = wrapFetchWithSIWx(fetch, privateKeyToAccount(shop.payer.privateKey));
  expect((await call(reader)).status).toBe(402);
});

test('a proof is good for one answer', async () => {
  await call(client(shop.payer));
  const proof = await sign();
  expect((await present(proof)).status).toBe(200);
  const [second, third] = await Promise.all([present(proof), present(proof)]);
  expect([second.status, third.status]).toEqual([409, 409]);
  expect(await codeOf(second)).toBe('WALLET_NONCE_USED');
});

test('a proof that bought nothing keeps its nonce, and gets a challenge', async () => {
  const proof = await sign();
  expect((await present(proof)).status).toBe(402);
  await call(client(shop.payer));
  expect((await present(proof)).status).toBe(200);
});

test('a proof is over after five minutes', async () => {
  await call(client(shop.payer));
  const proof = await sign();
  await shop.clock.advance(300_001);
  expect(await codeOf(await present(proof))).toBe('WALLET_EXPIRED');
});

test.each([
  ['another host', { domain: 'evil.example', uri: 'http://evil.example/v1/services/count' }],
  ['another path', { uri: (url: string) => url.replace('count', 'other') }],
  ['another chain', { chainId: 'eip155:1' }],
])('a proof for %s is refused, whatever the request says', async (_what, change) => {
  await call(client(shop.payer));
  const challenge = await challengeInfo();
  const changed = Object.fromEntries(
    Object.entries(change).map(([key, value]) => [
      key,
      typeof value === 'function' ? value(shop.url) : value,
    ]),
  );
  const info = { ...challenge, ...changed };
  const payload = await createSIWxPayload(
    info as never,
    privateKeyToAccount(shop.payer.privateKey),
    info.uri,
  );
  const reply = await present(encodeSIWxHeader(payload));
  expect(await codeOf(reply)).toBe('WALLET_ORIGIN');
});

test('a changed text, another signer and an unreadable header are refused', async () => {
  await call(client(shop.payer));
  const proof = JSON.parse(Buffer.from(await sign(), 'base64').toString());
  const other = JSON.parse(Buffer.from(await sign(createPayer()), 'base64').toString());
  const forged = [
    { ...proof, statement: 'Something else.' },
    { ...other, address: proof.address },
    { ...proof, nonce: 'a'.repeat(32) },
  ];
  for (const each of forged) {
    const reply = await present(Buffer.from(JSON.stringify(each)).toString('base64'));
    expect(await codeOf(reply)).toBe('WALLET_FORGED');
  }
  const broken = { ...proof, statement: 'Two\nlines.' };
  for (const header of ['???', Buffer.from(JSON.stringify(broken)).toString('base64')]) {
    expect(await codeOf(await present(header))).toBe('INPUT_INVALID');
  }
});

/** The public client with its extension: it signs in first, and pays if that is not enough. */
function client(payer: Payer): typeof fetch {
  const account = privateKeyToAccount(payer.privateKey);
  const { network, token } = shop;
  const paying = new x402Client().register(network, new ExactEvmScheme(account)).setSpendControls({
    allowedAssets: [{ network, asset: token, maxAmountPerPayment: '1000000' }],
  });
  paying.registerExtension(createSIWxClientExtension({ signers: [account] }) as never);
  return wrapFetchWithPayment(fetch, new x402HTTPClient(paying) as never) as typeof fetch;
}

function call(send: typeof fetch, subject = 'a'): Promise<Response> {
  return send(shop.url, request(subject));
}

function present(proof: string): Promise<Response> {
  const { headers, ...rest } = request('a');
  return fetch(shop.url, { ...rest, headers: { ...headers, 'SIGN-IN-WITH-X': proof } });
}

function request(subject: string) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ subject }),
  };
}

async function challengeInfo() {
  const unpaid = await call(fetch);
  const header = unpaid.headers.get('payment-required') ?? '';
  const { extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
  const { info, supportedChains } = extensions['sign-in-with-x'];
  return { ...info, ...supportedChains[0] };
}

async function sign(payer: Payer = shop.payer): Promise<string> {
  const account = privateKeyToAccount(payer.privateKey);
  return encodeSIWxHeader(await createSIWxPayload(await challengeInfo(), account, shop.url));
}

async function read(reply: Response): Promise<unknown> {
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
  return JSON.parse(text);
}

async function codeOf(reply: Response): Promise<string> {
  const body = (await reply.json()) as { error?: string; code?: string };
  return String(body.error ?? body.code);
}
