import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import type { JobView } from '../../../src/domain/escrow/work.ts';
import type { WalletCall } from '../../../src/domain/escrow/work-board.ts';
import type { PaymentPayload, PaymentRequired } from '../../../src/domain/payment/payment.ts';
import { DOUBLE_ESCROW, DOUBLE_NETWORK, DOUBLE_TOKEN } from '../../support/board-double.ts';
import { type BoardWorld, boardWorld } from '../../support/board-world.ts';
import { ENGINES } from '../../support/engines.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { createPayer } from '../../support/payer.ts';
import { signingWallet } from '../../support/signing-wallet.ts';

const buyer = signingWallet();
const provider = signingWallet();
const ORDER = {
  capability_id: 'translation',
  task_description: 'Translate the page.',
  budget_usd: '25.00',
  funding: 'escrow',
};

function decoded<Value>(answer: Response, header: string): Value {
  return JSON.parse(Buffer.from(answer.headers.get(header) ?? '', 'base64').toString('utf8'));
}

let world: BoardWorld;
const ask: BoardWorld['ask'] = (...args) => world.ask(...args);
const lastAsked = () => world.board.asked.at(-1);

describe.each(ENGINES)('the board through the %s engine', (engine) => {
  beforeAll(async () => {
    world = await boardWorld(engine, async () => ({ solvent: true }));
  });
  afterAll(() => world.rig.front.close());
  requests();
  challenges();
  refusals();
  jobs();
  moves();
});

function requests(): void {
  test('a signed request is posted in the wallet’s name, with its tag, and is read by all', async () => {
    const answer = await ask('/a2a/requests?src=news', {
      method: 'POST',
      wallet: buyer,
      json: ORDER,
    });
    expect(answer.status).toBe(201);
    const posted = (await answer.json()) as { request_id: string };
    expect(posted).toMatchObject({
      buyer: buyer.address,
      budget: { amount: '25.00', micro_usd: '25000000' },
      funding: 'escrow',
    });
    expect(lastAsked()).toMatchObject({
      call: 'post',
      by: { wallet: buyer.address, src: 'news' },
      detail: { openMs: 604_800_000, fulfilMs: 259_200_000 },
    });
    const read = await ask(`/a2a/requests/${posted.request_id}`);
    expect(await read.json()).toEqual(posted);
    const open = await ask('/a2a/requests/open?limit=5&capability_id=translation');
    expect(await open.json()).toMatchObject({ requests: [posted], cursor: null });
    expect(lastAsked()?.detail).toEqual({ limit: 5, capabilityId: 'translation' });
  });

  test('a bid is made and withdrawn, and a request withdrawn, each by its party', async () => {
    const bid = await ask('/a2a/requests/req_1/bids', {
      method: 'POST',
      wallet: provider,
      json: { price_usd: '19.5', note: 'today' },
    });
    expect(bid.status).toBe(201);
    expect(await bid.json()).toMatchObject({
      bid_id: 'bid_1',
      provider: provider.address,
      price: { micro_usd: '19500000' },
    });
    const gone = await ask('/a2a/bids/bid_1/withdraw', { method: 'POST', wallet: provider });
    expect(await gone.json()).toMatchObject({ status: 'withdrawn' });
    const foreign = { method: 'POST', wallet: provider };
    const refused = await ask('/a2a/requests/req_1/withdraw', foreign);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      error: 'NOT_THE_PARTY',
      data: { received: provider.address, allowed: buyer.address },
    });
    const own = await ask('/a2a/requests/req_1/withdraw', { ...foreign, wallet: buyer, json: {} });
    expect(await own.json()).toMatchObject({ state: 'withdrawn' });
  });
}

function challenges(): void {
  test('accepting without money is answered 402 with a challenge of x402, and changes nothing', async () => {
    const answer = await ask('/a2a/bids/bid_1/accept?src=ad', { method: 'POST', wallet: buyer });
    expect(answer.status).toBe(402);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const required = decoded<PaymentRequired>(answer, 'payment-required');
    expect(required).toMatchObject({
      x402Version: 2,
      error: 'Payment required',
      resource: { url: `${world.rig.baseUrl}/a2a/bids/bid_1/accept?src=ad` },
      accepts: [{ scheme: 'exact', payTo: DOUBLE_ESCROW, extra: { feeBps: 2000 } }],
    });
    expect(await answer.json()).toMatchObject({
      error: 'PAYMENT_REQUIRED',
      data: { payment_required: required },
    });
    expect((await ask('/a2a/jobs/job_1')).status).toBe(404);
  });

  test('an unmodified x402 client pays it with the same signed request, and gets a receipt', async () => {
    const payer = new x402Client().register(DOUBLE_NETWORK, new ExactEvmScheme(buyer.account));
    payer.setSpendControls({
      allowedAssets: [
        { network: DOUBLE_NETWORK, asset: DOUBLE_TOKEN, maxAmountPerPayment: '30000000' },
      ],
    });
    const path = '/a2a/bids/bid_1/accept';
    const before = world.board.asked.length;
    const answer = await wrapFetchWithPayment(fetch, payer)(`${world.rig.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'stoa-wallet': await buyer.header({ method: 'POST', path }) },
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ job_id: 'job_1', state: 'escrowed' });
    const calls = world.board.asked.slice(before);
    expect(calls.map(({ call }) => call)).toEqual(['accept', 'accept']);
    const [first, second] = calls.map(({ by }) => by as WalletCall);
    expect(second?.key).toBe(first?.key);
    const paid = calls[1]?.detail as PaymentPayload;
    const { to, value } = paid.payload.authorization;
    expect([to.toLowerCase(), value]).toEqual([DOUBLE_ESCROW, '25000000']);
    expect(decoded(answer, 'payment-response')).toEqual({
      success: true,
      transaction: `0x${'7a'.repeat(32)}`,
      network: DOUBLE_NETWORK,
      payer: buyer.account.address,
      amount: '25000000',
      extra: {
        feeBps: 2000,
        jobId: 'job_1',
        escrowKey: `0x${'ce'.repeat(32)}`,
        state: 'escrowed',
      },
    });
  });
}

function refusals(): void {
  test('a payment that is refused says why, and how to pay rightly', async () => {
    const challenge = await ask('/a2a/bids/bid_1/accept', { method: 'POST', wallet: buyer });
    const { accepts } = decoded<PaymentRequired>(challenge, 'payment-required');
    const payment = await createPayer().pay(accepts[0] as PaymentRequired['accepts'][number]);
    const headers = {
      'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64'),
    };
    const paying = { method: 'POST', wallet: buyer, headers };
    world.board.refuseNext(new AppError('PAYMENT_FUNDS', { data: { received: '0' } }));
    const refused = await ask('/a2a/bids/bid_1/accept', paying);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ error: 'PAYMENT_FUNDS', data: { received: '0' } });
    const again = decoded<PaymentRequired>(refused, 'payment-required');
    expect(again.error).toMatch(/^PAYMENT_FUNDS: /);
    expect(again.accepts).toEqual(accepts);
    expect(decoded(refused, 'payment-response')).toMatchObject({
      success: false,
      errorReason: 'PAYMENT_FUNDS',
      transaction: '',
    });
    world.board.refuseNext(new AppError('PAYMENT_PENDING'));
    const pending = await ask('/a2a/bids/bid_1/accept', paying);
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '2']);
    expect(pending.headers.get('payment-required')).toBe(null);
    const twice = {
      ...paying,
      headers: { 'payment-signature': `${headers['payment-signature']},x` },
    };
    const double = await ask('/a2a/bids/bid_1/accept', twice);
    expect([double.status, await errorOf(double)]).toEqual([400, 'PAYMENT_DUPLICATED']);
    const torn = { ...paying, headers: { 'payment-signature': 'e30=' } };
    const unreadable = await ask('/a2a/bids/bid_1/accept', torn);
    expect([unreadable.status, await errorOf(unreadable)]).toEqual([400, 'PAYMENT_MALFORMED']);
  });

  test('a direct request is begun by payment likewise', async () => {
    const order = { ...ORDER, provider: provider.account.address };
    await ask('/a2a/requests', { method: 'POST', wallet: buyer, json: order });
    expect(lastAsked()?.detail).toMatchObject({ provider: provider.address });
    const answer = await ask('/a2a/requests/req_2/begin', { method: 'POST', wallet: buyer });
    expect(answer.status).toBe(402);
    expect(decoded(answer, 'payment-required')).toMatchObject({ x402Version: 2 });
  });
}

function jobs(): void {
  test('a deliverable is handed in as text or as bytes, and held back from the buyer', async () => {
    const path = '/a2a/jobs/job_1/fulfil';
    const signature = `0x${'5a'.repeat(65)}`;
    const text = { text: 'grüße', move_signature: signature };
    expect((await ask(path, { method: 'POST', wallet: provider, json: text })).status).toBe(200);
    expect(lastAsked()?.detail).toEqual({
      deliverable: Buffer.from('grüße'),
      mimeType: 'text/plain; charset=utf-8',
      signature,
    });
    const large = Buffer.alloc(262_144, 7).toString('base64');
    const bytes = { deliverable_base64: large, mime_type: 'image/png' };
    expect((await ask(path, { method: 'POST', wallet: provider, json: bytes })).status).toBe(200);
    expect(lastAsked()?.detail).toMatchObject({ mimeType: 'image/png' });
    const held = await ask('/a2a/jobs/job_1/deliverable', { wallet: buyer });
    expect([held.status, await errorOf(held)]).toEqual([402, 'DELIVERABLE_HELD']);
    expect(held.headers.get('payment-required')).toBe(null);
    const own = await ask('/a2a/jobs/job_1/deliverable', { wallet: provider });
    expect([own.status, await own.text()]).toEqual([200, '<b>work</b>']);
    expect(own.headers.get('content-disposition')).toBe('attachment');
    expect(own.headers.get('content-security-policy')).toContain('sandbox');
  });

  test('jobs are read by all, and listed by wallet', async () => {
    const job = (await (await ask('/a2a/jobs/job_1')).json()) as JobView;
    expect(job.release).toMatchObject({ fee_bps: 2000, on_deadline: 'auto_release' });
    const listed = await ask(`/a2a/jobs?wallet=${buyer.account.address}&limit=3`);
    expect(await listed.json()).toEqual({ jobs: [job], cursor: null });
    expect(lastAsked()?.detail).toEqual({ wallet: buyer.address, limit: 3 });
  });
}

function moves(): void {
  test.each([
    ['complete', {}, 'complete'],
    ['dispute', { reason: 'It is not what was asked.' }, 'dispute'],
    ['withdraw-dispute', {}, 'withdrawDispute'],
    ['give-back', {}, 'giveBack'],
  ])('%s is the party’s, with the signature for the contract', async (name, body, call) => {
    const signature = `0x${'6b'.repeat(65)}`;
    const json = { ...body, move_signature: signature };
    const answer = await ask(`/a2a/jobs/job_1/${name}`, { method: 'POST', wallet: buyer, json });
    expect(answer.status).toBe(200);
    expect(lastAsked()).toMatchObject({ call, by: { wallet: buyer.address } });
    expect(JSON.stringify(lastAsked()?.detail)).toContain(signature);
  });

  test('a verdict is the operator’s, by the token alone', async () => {
    const json = { upheld: 'provider', why: 'It is what was asked.' };
    const path = '/a2a/jobs/job_1/decide';
    const asked = world.board.asked.length;
    for (const authorization of ['', 'Bearer wrong']) {
      const headers = { authorization };
      const refused = await ask(path, { method: 'POST', wallet: buyer, json, headers });
      expect(refused.status).toBe(401);
    }
    const forwarded = { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '10.0.0.9' };
    const forged = await ask(path, { method: 'POST', json, headers: forwarded });
    expect(forged.status).toBe(403);
    expect(world.board.asked.length).toBe(asked);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await ask(path, { method: 'POST', json, headers })).status).toBe(200);
    expect(lastAsked()).toEqual({ call: 'decide', by: undefined, detail: json });
  });

  test('the treasury is read by all', async () => {
    const answer = await ask('/a2a/treasury/balances');
    expect([answer.status, await answer.json()]).toEqual([200, { solvent: true }]);
  });
}

async function errorOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: string }).error;
}
