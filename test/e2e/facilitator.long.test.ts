import { afterAll, beforeAll, expect, test } from 'vitest';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import {
  type FacilitatorFault,
  type FacilitatorServer,
  facilitatorServer,
} from '../support/facilitator-server.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

// A whole server that settles through the facilitator of the public packages, and dies meanwhile.

const PRICE = 20_000n;
const dataDir = freshDataDir();

let facilitator: FacilitatorServer;
let server: RealServer;
let payer: Payer;

beforeAll(async () => {
  facilitator = await facilitatorServer();
  await start();
  payer = createPayer();
  await fund(server, payer.address, '10');
}, 240_000);
afterAll(async () => {
  await cleanUp();
  await facilitator.close();
});

async function start(): Promise<void> {
  server = await startRealServer(dataDir, [], { STOA_FACILITATOR_URL: facilitator.url });
  facilitator.rpcUrl = server.ready.chain.rpc_url;
}

test('a sale is settled by the facilitator, which lists the service', {
  timeout: 120_000,
}, async () => {
  const { payment } = await sign();
  const reply = await send(payment);
  expect(reply.status, await reply.text()).toBe(200);
  expect(facilitator.asked).toEqual(['verify', 'settle']);
  expect(facilitator.listed.at(-1)?.resourceUrl).toMatch(/\/v1\/services\/trust-check$/);
});

test.each<[FacilitatorFault, boolean]>([
  ['late', true],
  ['drop', true],
  ['hang', true],
  ['error', false],
  ['lie', false],
])(
  'with a facilitator that fails (%s), and a server killed in between (%s), one call is charged once',
  { timeout: 240_000 },
  async (fault, isKilled) => {
    const before = await balanceOf(server, payer.address);
    const { payment } = await sign();
    facilitator.fault = fault;
    facilitator.asked.length = 0;
    const first = send(payment).catch(() => undefined);
    await until(() => facilitator.asked.includes('settle'));
    if (isKilled) {
      await server.kill();
      facilitator.fault = 'none';
      await start();
    } else {
      const reply = await first;
      const text = (await reply?.text()) ?? '';
      expect(text).toContain('PAYMENT_PENDING');
      expect(text).not.toMatch(/not charged|nothing was charged/i);
      facilitator.fault = 'none';
    }
    let reply = await send(payment);
    await until(async () => {
      if (reply.status !== 200) reply = await send(payment);
      return reply.status === 200;
    });
    await first;
    const settlement = JSON.parse(
      Buffer.from(reply.headers.get('payment-response') ?? '', 'base64').toString('utf8'),
    );
    expect(settlement).toMatchObject({ success: true, amount: `${PRICE}` });
    expect(before - (await balanceOf(server, payer.address))).toBe(PRICE);
  },
);

test('the books balance by the chain and the feed alone', { timeout: 120_000 }, async () => {
  await expectBooksBalanced(server);
});

async function sign(): Promise<{ readonly payment: string }> {
  const unpaid = await send();
  const header = unpaid.headers.get('payment-required') ?? '';
  const required = PaymentRequired.parse(JSON.parse(Buffer.from(header, 'base64').toString()));
  const [offer] = required.accepts;
  if (offer === undefined) throw new Error('no offer');
  const { extensions } = required;
  const payload = { ...(await payer.pay(offer)), extensions };
  return { payment: Buffer.from(JSON.stringify(payload)).toString('base64') };
}

function send(payment?: string): Promise<Response> {
  return fetch(`${server.ready.base_url}/v1/services/trust-check`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(payment === undefined ? {} : { 'payment-signature': payment }),
    },
    body: JSON.stringify({ subject: payer.address }),
  });
}
