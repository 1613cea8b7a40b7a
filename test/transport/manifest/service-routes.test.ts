import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definePayment } from '../../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../../src/actors/payment/payment-flow.ts';
import { createPaymentProjector } from '../../../src/actors/proof/payment-projector.ts';
import { ProofProjector } from '../../../src/actors/proof/proof-projector.ts';
import { parseEventData } from '../../../src/domain/event/catalog.ts';
import { PaymentRequired, SettlementResponse } from '../../../src/domain/payment/payment.ts';
import { toSettlementRef, toStatementRef } from '../../../src/domain/proof/refs.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { trustCheckService } from '../../../src/tools/reputation/trust-check.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { SERVICE_RATE, serviceRoutes } from '../../../src/transport/manifest/service-routes.ts';
import { memoryBlobs } from '../../support/debate.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront, systemRandom } from '../../support/front-rig.ts';
import { walletOf } from '../../support/job-events.ts';
import { lookRig } from '../../support/look-rig.ts';
import { memoryPaymentIds } from '../../support/memory-payment-ids.ts';
import { createPayer } from '../../support/payer.ts';
import { soon } from '../../support/proof-rig.ts';
import { proves } from '../../support/proves.ts';

const BASE_URL = 'https://stoa.example';
const FUNDS = '1000000';

/** The services over real payments on a chain in memory, with the logs that follow them. */
async function shop(engineName: HttpEngine, limitsLocalCallers = false) {
  const rig = lookRig(() => Date.now());
  const { chain, logs, deps } = rig;
  const clock = systemClock();
  const blobs = memoryBlobs();
  const engine = await createEngine({
    store: memoryStore(),
    clock,
    definitions: [definePayment({ chain })],
  });
  const payments = new PaymentFlow({
    engine,
    chain,
    blobs,
    ids: memoryPaymentIds(),
    clock,
    random: systemRandom,
  });
  let runs = 0;
  const service = trustCheckService(deps);
  const run: typeof service.run = (input, context) => {
    runs += 1;
    return service.run(input, context);
  };
  const services = createToolService({
    server: 'commerce',
    title: 'Services',
    version: '1',
    instructions: '',
    tools: [{ ...service, run }],
    paid: { payments, challenger: createChallenger({ chain, clock, random: systemRandom }) },
  });
  const routes = serviceRoutes({
    services,
    labels: { labelOf: () => 'LIVE', changes: 0 },
    clock,
    limitsLocalCallers,
    baseUrl: async () => BASE_URL,
  });
  const front: FrontRig = await startFront(engineName, { routes });
  const projector = new ProofProjector({
    engine,
    clock,
    log: logs.log,
    events: logs.events,
    notice: () => undefined,
    projectors: [createPaymentProjector({ blobs, statementKinds: { 'trust-check': 30017 } })],
  });
  const payer = createPayer();
  await chain.faucet(payer.address, FUNDS);
  const url = `${front.baseUrl}/v1/services/trust-check`;
  const post = (body: unknown, headers: Record<string, string> = {}, query = '') =>
    fetch(`${url}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    rig,
    front,
    url,
    payer,
    post,
    runs: () => runs,
    spent: async () => BigInt(FUNDS) - BigInt(await chain.balance(payer.address)),
    payments: async () => (await engine.list({ kind: 'payment' })).rows,
    close: async () => {
      await front.front.close();
      await projector.stop();
      await engine.close();
      await rig.close();
    },
  };
}

type Shop = Awaited<ReturnType<typeof shop>>;

/** A client that was not made for this server. */
function buyer({ rig, payer }: Shop): typeof fetch {
  const { network, token } = rig.chain.facts;
  const id = network as `${string}:${string}`;
  const client = new x402Client().register(
    id,
    new ExactEvmScheme(privateKeyToAccount(payer.privateKey)),
  );
  client.setSpendControls({
    allowedAssets: [{ network: id, asset: token, maxAmountPerPayment: '1000000' }],
  });
  return wrapFetchWithPayment(fetch, client);
}

function decoded(answer: Response, header: string): unknown {
  return JSON.parse(Buffer.from(answer.headers.get(header) ?? '', 'base64').toString());
}

/** The challenge, paid by hand: what goes into the header. */
async function paymentFor({ post, payer }: Shop, subject: string): Promise<string> {
  const asked = PaymentRequired.parse(decoded(await post({ subject }), 'payment-required'));
  const [offer] = asked.accepts;
  if (offer === undefined) throw new Error('something is offered');
  return Buffer.from(JSON.stringify(await payer.pay(offer))).toString('base64');
}

const SOLD = { price: '20000', fee: '4000', fee_bps: 2_000, tool: 'trust-check' };

describe.each(ENGINES)('the trust check through the %s engine', (engineName) => {
  let made: Shop;
  beforeAll(async () => {
    made = await shop(engineName);
    made.rig.register('seller', { wallet: walletOf(1) });
    await made.rig.happen((feed) => {
      for (let n = 0; n < 12; n += 1) feed.released({ buyer: 100 + n, provider: 1, day: 9 * n });
    });
  });
  afterAll(() => made.close());

  test('an unmodified x402 client buys record and badge in one request, without signup or key', async () => {
    proves('C4.3.s4');
    const before = await made.spent();
    const answer = await buyer(made)(made.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'seller' }),
    });
    expect(answer.status).toBe(200);
    const told = await answer.json();
    expect(told).toMatchObject({
      score: 64,
      badge: 'bronze',
      registered: true,
      payload: {
        agent: { name: 'seller' },
        badge: 'bronze',
        settlement_record: { settled_jobs: 12, settled_usd: '240.00' },
      },
      statement: { kind: 'trust_check' },
    });
    expect(made.rig.isSigned(told)).toBe(true);
    const settlement = SettlementResponse.parse(decoded(answer, 'payment-response'));
    expect(settlement).toMatchObject({ success: true, amount: '20000', extra: { feeBps: 2_000 } });
    expect((await made.spent()) - before).toBe(20_000n);
  });

  test('the payment is told in the feed, and the statement is proven by its hash', async () => {
    const { logs } = made.rig;
    const [payment] = await made.payments();
    const id = payment?.id ?? '';
    await soon(() => logs.log.find(toStatementRef(id), 1).length === 1);
    const [event] = logs.events.readLatestBySubject(made.payer.address.toLowerCase(), 1);
    expect(event?.ref).toBe(toSettlementRef(id));
    expect(event && parseEventData(event, 'settlement.settled')).toMatchObject(SOLD);
    expect(logs.log.find(toStatementRef(id), 1)).toMatchObject([{ kind: 30017 }]);
  });

  test('unpaid, it answers 402 with price, fee and what is bought, and nothing has happened', async () => {
    const runs = made.runs();
    const answer = await made.post({ subject: 'seller' });
    expect(answer.status).toBe(402);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const required = PaymentRequired.parse(decoded(answer, 'payment-required'));
    expect(required).toMatchObject({
      resource: {
        url: expect.stringContaining(`${BASE_URL}/v1/services/trust-check#tool=trust-check&`),
      },
      accepts: [
        { amount: '20000', payTo: made.rig.chain.facts.treasury, extra: { feeBps: 2_000 } },
      ],
    });
    const body = await answer.json();
    expect(body).toMatchObject({ error: 'PAYMENT_REQUIRED', data: { payment_required: required } });
    expect(made.runs()).toBe(runs);
  });

  test('the same payment gives the same answer, runs once and is charged once', async () => {
    const payment = await paymentFor(made, 'seller');
    const [runs, spent] = [made.runs(), await made.spent()];
    const pay = () => made.post({ subject: 'seller' }, { 'payment-signature': payment });
    const [first, second] = await Promise.all([pay(), pay()]);
    const third = await pay();
    const texts = await Promise.all([first, second, third].map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(made.runs()).toBe(runs + 1);
    expect((await made.spent()) - spent).toBe(20_000n);
    const other = await made.post({ subject: 'nobody' }, { 'payment-signature': payment });
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ error: 'PAYMENT_CONFLICT' });
    expect((await made.spent()) - spent).toBe(20_000n);
  });
});

interface Odd {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly status: number;
}

describe('what the services refuse, and list', () => {
  let made: Shop;
  beforeAll(async () => {
    made = await shop('node');
  });
  afterAll(() => made.close());

  test('the list names price, fee, flow, controls and the shapes', async () => {
    const answer = await fetch(`${made.front.baseUrl}/v1/services`);
    expect(await answer.json()).toMatchObject({
      services: [
        {
          name: 'trust-check',
          method: 'POST',
          url: `${BASE_URL}/v1/services/trust-check`,
          price: { amount: '0.02', currency: 'USD', fee_bps: 2_000, flow: 'authorization' },
          accepts: [{ amount: '20000' }],
          controls: [
            { id: 'reputation-lookup', label: 'LIVE' },
            { id: 'trust-badge', label: 'LIVE' },
          ],
          input_schema: { required: ['subject'] },
        },
      ],
    });
  });

  test.each([
    ['{', 422, 'not valid UTF-8 JSON'],
    ['[]', 422, 'expected record'],
    ['{}', 422, 'subject'],
    ['{"subject":"a b"}', 422, 'is not an agent name'],
    ['{"subject":"seller","more":1}', 422, 'more'],
    [`{"subject":"${'x'.repeat(5_000)}"}`, 413, 'BODY_TOO_LARGE'],
  ])('the body %j', async (body, status, told) => {
    const answer = await made.post(body);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(told);
    expect(answer.headers.get('payment-required')).toBeNull();
  });

  test.each([
    ['another type of body', { headers: { 'content-type': 'text/plain' }, status: 422 }, 'JSON'],
    ['a query that is none', { query: '?subject=seller', status: 422 }, 'each at most once'],
    ['no readable payment', { headers: { 'payment-signature': '%%' }, status: 400 }, 'MALFORMED'],
    ['a header of version 1', { headers: { 'x-payment': 'e30=' }, status: 402 }, 'x402 version 2'],
    ['an attribution tag', { query: '?src=partner', status: 402 }, 'PAYMENT_REQUIRED'],
  ] as readonly [string, Odd, string][])('%s', async (_what, { headers, query, status }, told) => {
    const answer = await made.post({ subject: 'seller' }, headers, query);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(told);
  });
});

describe('payments that do not pay for a service', () => {
  let made: Shop;
  beforeAll(async () => {
    made = await shop('node');
  });
  afterAll(() => made.close());

  test('a payment that is too small, forged, or of an empty wallet is refused and charges nothing', async () => {
    const asked = PaymentRequired.parse(
      decoded(await made.post({ subject: 'seller' }), 'payment-required'),
    );
    const [offer] = asked.accepts;
    if (offer === undefined) throw new Error('something is offered');
    const broke = createPayer();
    const refused = [
      [await made.payer.pay(offer, { authorization: { value: '19999' } }), 'PAYMENT_UNDERPAID'],
      [await made.payer.pay(offer, { signature: `0x${'11'.repeat(65)}` }), 'PAYMENT_FORGED'],
      [await broke.pay(offer), 'PAYMENT_FUNDS'],
    ] as const;
    const runs = made.runs();
    for (const [payment, code] of refused) {
      const header = Buffer.from(JSON.stringify(payment)).toString('base64');
      const answer = await made.post({ subject: 'seller' }, { 'payment-signature': header });
      expect(answer.status, code).toBe(402);
      expect(await answer.json(), code).toMatchObject({ error: code });
      expect(answer.headers.get('payment-required'), code).not.toBeNull();
    }
    expect(made.runs()).toBe(runs);
    expect(await made.spent()).toBe(0n);
  });

  test('GET of a service, and services that are none, are told apart from a call', async () => {
    expect((await fetch(made.url)).status).toBe(405);
    expect((await fetch(`${made.url}-2`, { method: 'POST' })).status).toBe(404);
  });

  test('a network that calls too often is told when to come back', async () => {
    const limited = await shop('node', true);
    const asked = `${limited.front.baseUrl}/v1/services`;
    const all = Array.from({ length: 2 * SERVICE_RATE.burst }, () => fetch(asked));
    const answers = await Promise.all(all);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]/);
    await limited.close();
  });
});
