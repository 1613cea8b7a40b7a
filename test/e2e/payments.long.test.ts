import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DebateState } from '../../src/domain/debate/result.ts';
import {
  PAYMENT_META,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_META,
  type PaymentPayload,
  PaymentRequired,
  type PaymentRequirements,
} from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const DEBATE = 'deliberation_multi-agent-debate';
const OTHER = `0x${'12'.repeat(20)}`;
const ONE_NONCE = `0x${'ab'.repeat(32)}`;
const NOW_S = Math.floor(Date.now() / 1000);

let server: RealServer;
let payer: Payer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
  payer = createPayer();
  await fund(server, payer.address, '100');
}, 120_000);
afterAll(cleanUp);

/** A question of its own for every call, so that no two calls are the same. */
let asked = 0;
function question(): object {
  asked += 1;
  const [a, b] = ['first', 'second'].map((name, place) => ({
    name,
    scores: { cost: place + 1, speed: 3 - place },
  }));
  const criteria = [{ name: 'cost', higher_is_better: false }, { name: 'speed' }];
  return { question: `Number ${asked}?`, options: [a, b], criteria, wait_s: 20 };
}

type Carrier = 'header' | 'meta';

/** One tools/call over plain HTTP, in a session of its own. */
async function call(carrier: Carrier, args: object, payments: readonly unknown[]) {
  const url = carrier === 'header' ? server.ready.mcp_v1 : server.ready.mcp_v2;
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  const post = (body: object) =>
    fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      signal: AbortSignal.timeout(60_000),
    });
  const hello = await post({
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'e2e', version: '1' },
    },
  });
  headers.set('mcp-session-id', hello.headers.get('mcp-session-id') ?? '');
  headers.set('mcp-protocol-version', '2025-11-25');
  if (carrier === 'header') {
    for (const payment of payments) headers.append('payment-signature', encode(payment));
  }
  const _meta = carrier === 'meta' ? { [PAYMENT_META]: payments[0] } : {};
  const answer = await post({
    method: 'tools/call',
    params: { name: DEBATE, arguments: args, _meta },
  });
  const { result } = JSON.parse(readMessage(await answer.text())) as {
    result: Record<string, unknown>;
  };
  return { answer, result };
}

/** The last message of a stream, which an answer becomes that takes longer; otherwise all of it. */
function readMessage(text: string): string {
  const [, last] = /^(?:.*\n)*data: ?(.*)\n/.exec(text) ?? [];
  return last ?? text;
}

function encode(payment: unknown): string {
  const text = typeof payment === 'string' ? payment : JSON.stringify(payment);
  return Buffer.from(text).toString('base64');
}

async function offerFor(args: object): Promise<PaymentRequirements> {
  const { answer, result } = await call('header', args, []);
  expect(answer.status).toBe(402);
  const header = answer.headers.get(PAYMENT_REQUIRED_HEADER) ?? '';
  const challenge = PaymentRequired.parse(
    JSON.parse(Buffer.from(header, 'base64').toString('utf8')),
  );
  expect(result['structuredContent']).toEqual(challenge);
  const [offer] = challenge.accepts;
  if (offer === undefined) throw new Error('the challenge offers nothing');
  return offer;
}

type Spoil = (offer: PaymentRequirements) => unknown;

const flip = (payment: PaymentPayload): PaymentPayload => ({
  ...payment,
  payload: {
    ...payment.payload,
    signature: payment.payload.signature.replace(/.{4}$/, (end) =>
      end === '1b00' ? '1c01' : '1b00',
    ),
  },
});

const FAULTS: readonly (readonly [string, number, string, Spoil])[] = [
  ['an unreadable payment', 400, 'PAYMENT_MALFORMED', () => ({ x402Version: 2, nothing: true })],
  [
    'an expired authorization',
    402,
    'PAYMENT_EXPIRED',
    (offer) => payer.pay(offer, { authorization: { validBefore: String(NOW_S - 5) } }),
  ],
  [
    'one that is not valid yet',
    402,
    'PAYMENT_EXPIRED',
    (offer) => payer.pay(offer, { authorization: { validAfter: String(NOW_S + 9_000) } }),
  ],
  [
    'one below the price',
    402,
    'PAYMENT_UNDERPAID',
    (offer) => payer.pay({ ...offer, amount: '1999999' }),
  ],
  [
    'one on another network',
    402,
    'PAYMENT_WRONG_NETWORK',
    (offer) => payer.pay(offer, { accepted: { network: 'eip155:8453' } }),
  ],
  [
    'one to another payee',
    402,
    'PAYMENT_WRONG_ASSET',
    (offer) => payer.pay(offer, { authorization: { to: OTHER } }),
  ],
  ['a forged one', 402, 'PAYMENT_FORGED', async (offer) => flip(await payer.pay(offer))],
  ['one of an empty wallet', 402, 'PAYMENT_FUNDS', (offer) => createPayer().pay(offer)],
];

describe.each<Carrier>(['header', 'meta'])('payments carried by %s', (carrier) => {
  test.each(FAULTS)(
    '%s is refused by name and charges nothing',
    async (_name, status, code, spoil) => {
      const args = question();
      const before = await balanceOf(server, payer.address);
      const payment = await spoil(await offerFor(args));
      const { answer, result } = await call(carrier, args, [payment]);
      expect(answer.status).toBe(carrier === 'header' ? status : 200);
      expect(result).toMatchObject({ isError: true, structuredContent: { code } });
      expect(await balanceOf(server, payer.address)).toBe(before);
    },
  );

  test('a spent authorization buys nothing else', { timeout: 60_000 }, async () => {
    const args = question();
    const nonce = ONE_NONCE.replace('ab', carrier === 'header' ? 'cd' : 'ef');
    const payment = await payer.pay(await offerFor(args), { authorization: { nonce } });
    const first = await call(carrier, args, [payment]);
    expect(first.result['_meta']).toMatchObject({ [PAYMENT_RESPONSE_META]: { success: true } });
    const before = await balanceOf(server, payer.address);
    const other = await call(carrier, question(), [payment]);
    expect(other.result).toMatchObject({ structuredContent: { code: 'PAYMENT_CONFLICT' } });
    const again = await call(carrier, args, [payment]);
    expect(again.result['structuredContent']).toMatchObject({ status: 'decided' });
    expect(await balanceOf(server, payer.address)).toBe(before);
  });
});

test('two payments in one call are refused, and neither is charged', async () => {
  const args = question();
  const offer = await offerFor(args);
  const before = await balanceOf(server, payer.address);
  const both = [await payer.pay(offer), await payer.pay(offer)];
  const { answer, result } = await call('header', args, both);
  expect(answer.status).toBe(400);
  expect(result).toMatchObject({ structuredContent: { code: 'PAYMENT_DUPLICATED' } });
  expect(await balanceOf(server, payer.address)).toBe(before);
});

test('20 payments in parallel all settle, and each buys its own debate', {
  timeout: 120_000,
}, async () => {
  const before = await balanceOf(server, payer.address);
  const bought = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const args = question();
      const payment = await payer.pay(await offerFor(args));
      return DebateState.parse((await call('meta', args, [payment])).result['structuredContent']);
    }),
  );
  expect(bought.map(({ status }) => status)).toEqual(Array(20).fill('decided'));
  expect(new Set(bought.map(({ job_id }) => job_id)).size).toBe(20);
  expect(await balanceOf(server, payer.address)).toBe(before - 40_000_000n);
});

test('after all of these the books balance: every payment is told, and nothing else moved', async () => {
  const audited = await expectBooksBalanced(server);
  expect(audited.kept).toBe(100_000_000n - (await balanceOf(server, payer.address)));
});
