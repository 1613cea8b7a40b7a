import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server';
import { wrapFetchWithPayment } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  PaymentPayload,
  PaymentRequired,
  type PaymentRequirements,
  type SettlementResponse,
} from '../../../src/domain/payment/payment.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { createFacilitatorClient } from '../../support/facilitator-client.ts';
import { createPayer, type Payer, requirementsOf } from '../../support/payer.ts';
import { proves } from '../../support/proves.ts';
import { tempDir } from '../../support/temp-dir.ts';

const folder = tempDir();
let chain: NodePaymentChain;
const servers: Server[] = [];

beforeAll(async () => {
  const options = { dataDir: folder.path, now: Date.now, notice: () => undefined };
  chain = await openPaymentChain({ kind: 'local', ...options });
}, 120_000);

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await chain.close();
  folder.remove();
});

test('an unmodified client pays a server that stands on the port', async () => {
  proves('C1.i2.c2', 'C5.i3.c2');
  const payer = await funded();
  const offer = requirementsOf(chain.facts, {
    extra: { ...requirementsOf(chain.facts).extra, paymentFlow: 'upfront', feeBps: 2000 },
  });
  const url = await listen(createServer((request, response) => void serve(request, response)));
  const answer = await payingFetch(payer)(`${url}/v1/tools/x`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('the answer');
  const settlement = settlementOf(answer);
  expect(settlement).toMatchObject({ success: true, network: 'eip155:31337' });
  expect(await chain.balance(payer.address)).toBe('750000');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const header = request.headers['payment-signature'];
    if (header === undefined) return challenge(response, offer);
    const payload = PaymentPayload.parse(fromBase64(String(header)));
    expect(payload.accepted.extra).toMatchObject({ paymentFlow: 'upfront', feeBps: 2000 });
    expect(chain.checkLocally(payload, offer, Date.now())).toBeUndefined();
    expect(await chain.checkOnChain(payload)).toBeUndefined();
    const outcome = await chain.settle(payload);
    if (outcome.state !== 'settled') throw new Error(`not settled: ${outcome.state}`);
    const settled: SettlementResponse = {
      success: true,
      transaction: outcome.transaction,
      network: offer.network,
      payer: payload.payload.authorization.from,
    };
    response.setHeader('payment-response', toBase64(settled)).end('the answer');
  }
});

test('the protocol’s own resource server stands on the facilitator shape', async () => {
  const payer = await funded();
  const answer = await payingFetch(payer)(`${await foreignServer()}/paid`);
  expect(answer.status).toBe(200);
  expect(settlementOf(answer)).toMatchObject({ success: true });
  expect(await chain.balance(payer.address)).toBe('990000');
});

test('through the facilitator shape a drained payer is told so', async () => {
  const answer = await payingFetch(createPayer())(`${await foreignServer()}/paid`);
  expect(answer.status).toBe(402);
  const required = fromBase64(answer.headers.get('payment-required') ?? '');
  expect(required).toMatchObject({ error: 'PAYMENT_FUNDS' });
});

async function foreignServer(): Promise<string> {
  const { facts } = chain;
  const network = facts.network as `${string}:${string}`;
  const scheme = new ServerScheme().registerMoneyParser(async (amount) => ({
    asset: facts.token,
    amount: String(Math.round(Number(amount) * 1_000_000)),
    extra: { name: facts.tokenName, version: facts.tokenVersion },
  }));
  const resources = new x402ResourceServer(createFacilitatorClient(chain, Date.now));
  resources.register(network, scheme);
  const accepts = { scheme: 'exact', network, price: '$0.01', payTo: facts.treasury };
  const http = new x402HTTPResourceServer(resources, {
    'GET /paid': { accepts, description: 'A paid page', mimeType: 'text/plain' },
  });
  await http.initialize();
  return listen(createServer((request, response) => void serve(request, response)));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const url = `http://${request.headers.host}${path}`;
    const adapter = {
      getHeader: (name: string) => request.headers[name.toLowerCase()]?.toString(),
      getMethod: () => 'GET',
      getPath: () => path,
      getUrl: () => url,
      getAcceptHeader: () => 'application/json',
      getUserAgent: () => 'test',
    };
    const result = await http.processHTTPRequest({ adapter, path, method: 'GET' });
    if (result.type === 'payment-error') {
      const { status, headers, body } = result.response;
      return void response.writeHead(status, headers).end(JSON.stringify(body));
    }
    if (result.type !== 'payment-verified') throw new Error(result.type);
    const { paymentPayload, paymentRequirements } = result;
    const settled = await http.processSettlement(paymentPayload, paymentRequirements);
    response.writeHead(settled.success ? 200 : 402, settled.headers).end('paid');
  }
}

function challenge(response: ServerResponse, offer: PaymentRequirements): void {
  const required = PaymentRequired.parse({
    x402Version: 2,
    error: 'Payment required',
    accepts: [offer],
    resource: { url: 'mcp://tool/x', description: 'x', mimeType: 'application/json' },
  });
  response.writeHead(402, { 'payment-required': toBase64(required) }).end();
}

async function funded(): Promise<Payer> {
  const payer = createPayer();
  await chain.faucet(payer.address, '1000000');
  return payer;
}

function payingFetch(payer: Payer) {
  const { network, token } = chain.facts;
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(privateKeyToAccount(payer.privateKey)))
    .setSpendControls({
      allowedAssets: [
        {
          network: network as `${string}:${string}`,
          asset: token,
          maxAmountPerPayment: '1000000',
        },
      ],
    });
  return wrapFetchWithPayment(fetch, client);
}

function settlementOf(answer: Response) {
  return new x402HTTPClient(new x402Client()).getPaymentSettleResponse((name) =>
    answer.headers.get(name),
  );
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function toBase64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function fromBase64(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64').toString());
}
