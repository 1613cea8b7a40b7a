import { expect, test } from 'vitest';
import type { PaymentRequired, PaymentRequirements } from '../../src/domain/payment/payment.ts';
import { proves } from '../support/proves.ts';
import { type ServedCommerce, serveCommerce } from '../support/served-commerce.ts';
import { askWire, openWire, type WireAnswer, type WireSession } from '../support/wire-session.ts';

// The commerce specification, sections 1, 2, 4, 5 and 7, asked of a server from the outside.
const LISTED = [
  'get_result',
  'deliberation_multi-agent-debate',
  'ops_link-integrity',
  'procurement_council',
];
const CHECK = 'ops_link-integrity';
const DEBATE = 'deliberation_multi-agent-debate';

type Body = Readonly<Record<string, unknown>>;

function decode(header: string | null): unknown {
  return JSON.parse(Buffer.from(header ?? '', 'base64').toString('utf8'));
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** What the answer of a link check holds in its envelope. */
function linksOf(answer: WireAnswer): Body {
  return answerOf(answer)['data'] as Body;
}

function answerOf({ message }: WireAnswer): Body {
  return (message.result?.['structuredContent'] ?? {}) as Body;
}

function call(session: WireSession, name: string, args: object, headers = {}) {
  return session.ask('tools/call', { name, arguments: args }, headers);
}

function offerOf(answer: WireAnswer): PaymentRequirements {
  const challenge = decode(answer.headers.get('payment-required')) as PaymentRequired;
  expect(challenge.accepts).toHaveLength(1);
  return challenge.accepts[0] as PaymentRequirements;
}

/** Calls, meets the challenge, pays by header, calls again. */
async function buy(served: ServedCommerce, session: WireSession, name: string, args: object) {
  const unpaid = await call(session, name, args);
  expect(unpaid.status).toBe(402);
  const payment = await served.payer.pay(offerOf(unpaid));
  return call(session, name, args, { 'payment-signature': encode(payment) });
}

function question(over: object = {}): object {
  const scores = (speed: number, cost: number) => ({ scores: { speed, cost } });
  return {
    question: 'Which store should hold the events?',
    options: [
      { name: 'Alpha', ...scores(9, 8) },
      { name: 'Bravo', ...scores(2, 3) },
    ],
    criteria: [{ name: 'speed' }, { name: 'cost' }],
    seats: 5,
    wait_s: 0,
    ...over,
  };
}

async function ended(session: WireSession, jobId: string): Promise<Body> {
  for (let polls = 0; polls < 20; polls += 1) {
    const state = answerOf(await call(session, 'get_result', { job_id: jobId, wait_s: 2 }));
    if (state['status'] !== 'working') return state;
  }
  throw new Error('the job has not ended');
}

test('/v1/mcp lists the tools over streamable HTTP, for free and without a key', async () => {
  proves('C4.1.t1', 'C1.i6.c2', 'C5.i1', 'C9.i1.c1');
  const { baseUrl } = await serveCommerce();
  const session = await openWire(`${baseUrl}/v1/mcp`);
  const { status, message } = await session.ask('tools/list');
  const tools = message.result?.['tools'] as readonly Body[];
  expect([status, tools.map((tool) => tool['name'])]).toEqual([200, LISTED]);
});

test('every tool publishes what it takes, gives and costs', async () => {
  proves('C2.s1', 'C4.3.s3', 'C4.3.s1', 'C4.3.s2');
  const { service } = await serveCommerce();
  const prices = service.tools.map(
    ({ _meta }) => (_meta?.['price'] as Body | undefined)?.['amount'],
  );
  expect(prices).toEqual([undefined, '2.00', '0.01', '4.00']);
  for (const tool of service.tools) {
    expect(tool.inputSchema['type']).toBe('object');
    expect(tool.outputSchema['type']).toBe('object');
  }
});

test('an unpaid priced call gets 402 with price, fee and the one way to pay', async () => {
  proves('C1.i2.c1', 'C4.1.i2.c1', 'C5.i3.c1', 'C7.t1', 'C1.i7');
  proves('C2.t6.c1', 'C2.t6.c2', 'C8.t1');
  const { baseUrl, chain } = await serveCommerce();
  const session = await openWire(`${baseUrl}/v1/mcp`);
  const unpaid = await call(session, CHECK, { urls: ['https://example.org/'] });
  const offer = offerOf(unpaid);
  expect(unpaid.status).toBe(402);
  expect(answerOf(unpaid)).toEqual(decode(unpaid.headers.get('payment-required')));
  expect([offer.amount, offer.asset, offer.payTo]).toEqual([
    '10000',
    chain.facts.token,
    chain.facts.treasury,
  ]);
  expect(offer.extra['feeBps']).toBe(2000);
});

test('the result comes once the payment has settled', async () => {
  proves('C1.i2.c3', 'C4.1.i2.c2', 'C5.i3.c3', 'C4.3.t15.c1', 'C4.3.t15.c2');
  const served = await serveCommerce();
  const session = await openWire(`${served.baseUrl}/v1/mcp`);
  const before = BigInt(await served.chain.balance(served.chain.facts.treasury));
  const urls = [`${served.site.url}/here`, `${served.site.url}/gone`];
  const paid = await buy(served, session, CHECK, { task_text: `See ${urls.join(' and ')} today.` });
  const report = linksOf(paid);
  const rows = report['results'] as readonly Body[];
  expect([paid.status, report['verdict']]).toEqual([200, 'FAIL']);
  expect(rows.map((row) => [row['url'], row['status']])).toEqual([
    [urls[0], 200],
    [urls[1], 404],
  ]);
  expect(served.site.hits).toContain('HEAD /here');
  expect(decode(paid.headers.get('payment-response'))).toMatchObject({ success: true });
  const after = BigInt(await served.chain.balance(served.chain.facts.treasury));
  expect(after - before).toBe(10_000n);
});

test('a payment that does not settle buys nothing', async () => {
  proves('C1.i2.c3');
  const served = await serveCommerce();
  const session = await openWire(`${served.baseUrl}/v1/mcp`);
  served.chain.faults.fates.push('refused');
  const refused = await buy(served, session, CHECK, { urls: [`${served.site.url}/here`] });
  expect(refused.status).toBe(402);
  expect(answerOf(refused)).not.toHaveProperty('data');
});

test('a payment is taken from the header and from _meta', async () => {
  proves('C5.i6');
  const served = await serveCommerce();
  const session = await openWire(`${served.baseUrl}/v1/mcp`);
  const args = { urls: [`${served.site.url}/here`] };
  expect(linksOf(await buy(served, session, CHECK, args))['verdict']).toBe('PASS');
  const payment = await served.payer.pay(offerOf(await call(session, CHECK, args)));
  const _meta = { 'x402/payment': payment };
  const paid = await session.ask('tools/call', { name: CHECK, arguments: args, _meta });
  const receipt = (paid.message.result?.['_meta'] as Body | undefined)?.['x402/payment-response'];
  expect(linksOf(paid)['verdict']).toBe('PASS');
  expect(receipt).toMatchObject({ success: true });
});

test('a src tag on the address changes no answer', async () => {
  proves('C4.1.i4.c1', 'C4.1.i4.c2');
  const { baseUrl } = await serveCommerce();
  const [plain, tagged] = await Promise.all([
    openWire(`${baseUrl}/v1/mcp`),
    openWire(`${baseUrl}/v1/mcp?src=partner-7`),
  ]);
  expect((await tagged.ask('tools/list')).message).toEqual((await plain.ask('tools/list')).message);
  const args = { urls: ['https://example.org/'] };
  expect(offerOf(await call(tagged, CHECK, args))).toEqual(offerOf(await call(plain, CHECK, args)));
});

test('a bought debate runs in the background, always decides, and is polled for free', async () => {
  proves('C4.3.t12', 'C2.t10', 'C4.1.i3', 'C4.3.t1');
  const served = await serveCommerce();
  const session = await openWire(`${served.baseUrl}/v1/mcp`);
  const bought = answerOf(await buy(served, session, DEBATE, question({ seats: 11 })));
  const state = await ended(session, String(bought['job_id']));
  expect(state['status']).toBe('decided');
  expect(state['result']).toMatchObject({ winner: { name: 'Alpha' }, tally: { cast: 11 } });
});

test('a debate has 5 to 11 seats', async () => {
  proves('C4.3.t12');
  const { baseUrl } = await serveCommerce();
  const session = await openWire(`${baseUrl}/v1/mcp`);
  for (const seats of [4, 12]) {
    const refused = await call(session, DEBATE, question({ seats }));
    expect([seats, refused.status, answerOf(refused)['error']]).toEqual([
      seats,
      200,
      'INPUT_INVALID',
    ]);
  }
});

test('/v2/ is the same service: its tools, its jobs, with the challenge in band', async () => {
  proves('C4.1.i1.c1', 'C4.1.i1.c2', 'C9.i1.c2');
  const served = await serveCommerce();
  const first = await openWire(`${served.baseUrl}/v1/mcp`);
  const second = await openWire(`${served.baseUrl}/v2/`);
  expect((await second.ask('tools/list')).message).toEqual((await first.ask('tools/list')).message);
  const unpaid = await call(second, CHECK, { urls: ['https://example.org/'] });
  expect([unpaid.status, unpaid.message.result?.['isError']]).toEqual([200, true]);
  expect(answerOf(unpaid)).toMatchObject({ x402Version: 2 });
  const bought = answerOf(await buy(served, first, DEBATE, question()));
  expect((await ended(second, String(bought['job_id'])))['status']).toBe('decided');
});

test('HTTP asks for the handshake before anything else', async () => {
  proves('H9.i3');
  const { baseUrl } = await serveCommerce();
  const { status, message } = await askWire(`${baseUrl}/v1/mcp`, 'tools/list');
  expect(status).toBe(400);
  expect(message.result).toBeUndefined();
});
