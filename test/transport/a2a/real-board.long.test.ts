import { type EIP712SignedOffer, verifyOfferSignatureEIP712 } from '@x402/extensions/offer-receipt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { BidView, JobView, RequestView } from '../../../src/domain/escrow/work.ts';
import type { PaymentRequired } from '../../../src/domain/payment/payment.ts';
import { type BoardService, boardService, type MoveOptions } from '../../support/board-service.ts';
import { ENGINES } from '../../support/engines.ts';
import { proves } from '../../support/proves.ts';

const ORDER = {
  capability_id: 'translation',
  task_description: 'Translate the page.',
  budget_usd: '25.00',
  funding: 'escrow',
};
const WORK: MoveOptions = { body: { text: 'bonjour' }, hash: sha256Hex('bonjour') };

let service: BoardService;

async function read<Value>(answer: Response, status = 200): Promise<Value> {
  const text = await answer.text();
  expect([answer.status, text]).toEqual([status, text]);
  return JSON.parse(text) as Value;
}

function decoded<Value>(answer: Response, header: string): Value {
  return JSON.parse(Buffer.from(answer.headers.get(header) ?? '', 'base64').toString('utf8'));
}

async function bidOn(order: object = ORDER, price = '20.00'): Promise<BidView> {
  const { buyer, provider } = service;
  const request = await read<RequestView>(await buyer.ask('/a2a/requests', order), 201);
  const path = `/a2a/requests/${request.request_id}/bids`;
  return read<BidView>(await provider.ask(path, { price_usd: price }), 201);
}

async function escrowed(): Promise<JobView> {
  const bid = await bidOn();
  return read<JobView>(await service.buyer.ask(`/a2a/bids/${bid.bid_id}/accept`));
}

async function fulfilled(): Promise<JobView> {
  const { job_id } = await escrowed();
  return read<JobView>(await service.provider.move(job_id, 'fulfil', WORK));
}

describe.each(ENGINES)('the real board through the %s engine', (engine) => {
  beforeAll(async () => {
    service = await boardService(engine);
  });
  afterAll(() => service.close());
  escrow();
  refusals();
  disputes();
  onRelease();
  offers();
  sealedBids();
});

function escrow(): void {
  test('a bid is paid into the escrow by an x402 client, fulfilled, and released', async () => {
    proves('C4.2.t3', 'C4.2.s1', 'C4.2.s2', 'C2.t5', 'C3.t4.c2');
    const { buyer, provider, chain, get } = service;
    const before = await chain.balance(provider.wallet.address);
    const bid = await bidOn();
    const accept = `/a2a/bids/${bid.bid_id}/accept`;
    const challenge = await buyer.askOnly(accept);
    expect(challenge.status).toBe(402);
    const { accepts } = decoded<PaymentRequired>(challenge, 'payment-required');
    expect(accepts[0]).toMatchObject({
      scheme: 'exact',
      amount: '20000000',
      payTo: chain.trust.contracts.escrow,
      extra: { feeBps: 2000, paymentFlow: 'upfront', provider: provider.wallet.address },
    });
    const paid = await buyer.ask(accept);
    const receipt = decoded<{ transaction: string }>(paid, 'payment-response');
    const job = await read<JobView>(paid);
    expect(receipt).toMatchObject({
      success: true,
      transaction: job.facts[0]?.transaction,
      extra: { jobId: job.job_id, escrowKey: job.escrow_key, feeBps: 2000 },
    });
    expect(job.state).toMatch(/^escrowed/);
    expect(await read(await get('/a2a/treasury/balances'))).toMatchObject({
      solvent: true,
      escrow: { held: { amount: '20.00' } },
      open_jobs: { count: 1, amount: { amount: '20.00' } },
    });
    const done = await read<JobView>(await provider.move(job.job_id, 'fulfil', WORK));
    expect(done.release).toMatchObject({
      price: { amount: '20.00' },
      fee: { amount: '4.00' },
      net: { amount: '16.00' },
      fee_bps: 2000,
      payee: provider.wallet.address,
      chain: chain.facts.network,
      deadline: expect.stringMatching(/^\d{4}-.*Z$/),
      on_deadline: 'auto_release',
    });
    const bytes = `/a2a/jobs/${job.job_id}/deliverable`;
    expect((await buyer.askOnly(bytes, undefined, 'GET')).status).toBe(402);
    const released = await read<JobView>(await buyer.move(job.job_id, 'release'));
    expect(released).toMatchObject({
      state: 'released',
      payout: { net: { amount: '16.00' }, fee: { amount: '4.00' }, fee_bps: 2000 },
    });
    const work = await buyer.ask(bytes, undefined, 'GET');
    expect([work.status, await work.text()]).toEqual([200, 'bonjour']);
    const after = await chain.balance(provider.wallet.address);
    expect(BigInt(after) - BigInt(before)).toBe(16_000_000n);
    const listed = await read<{ jobs: JobView[] }>(
      await get(`/a2a/jobs?wallet=${provider.wallet.address}`),
    );
    expect(listed.jobs.map(({ job_id }) => job_id)).toContain(job.job_id);
  });
}

function refusals(): void {
  test('the same signed acceptance twice makes one job, and pays once', async () => {
    const { buyer, chain } = service;
    const before = BigInt(await chain.balance(buyer.wallet.address));
    const bid = await bidOn();
    const accept = `/a2a/bids/${bid.bid_id}/accept`;
    const [first, second] = await Promise.all([buyer.ask(accept), buyer.ask(accept)]);
    const [one, other] = [
      await read<JobView>(first as Response),
      await read<JobView>(second as Response),
    ];
    expect(one.job_id).toBe(other.job_id);
    expect(before - BigInt(await chain.balance(buyer.wallet.address))).toBe(20_000_000n);
  });

  test('moves of others, in other states, or unsigned are refused and change nothing', async () => {
    const { buyer, provider, get } = service;
    const { job_id } = await escrowed();
    const path = `/a2a/jobs/${job_id}`;
    const before = await read<JobView>(await get(path));
    const signature = `0x${'11'.repeat(65)}`;
    const refusals = [
      await buyer.ask(`${path}/fulfil`, { text: 'bonjour', move_signature: signature }),
      await provider.ask(`${path}/fulfil`, { text: 'bonjour' }),
      await provider.ask(`${path}/fulfil`, { text: 'bonjour', move_signature: signature }),
      await buyer.ask(`${path}/dispute`, { reason: 'no', move_signature: signature }),
      await buyer.ask(`${path}/withdraw-dispute`, { move_signature: signature }),
      await buyer.ask(`${path}/give-back`, { move_signature: signature }),
      await service.decide(job_id, { upheld: 'buyer', why: 'no' }),
    ];
    const told = await Promise.all(
      refusals.map(async (answer) => [
        answer.status,
        ((await answer.json()) as { error: string }).error,
      ]),
    );
    expect(told).toEqual([
      [403, 'NOT_THE_PARTY'],
      [401, 'MOVE_UNSIGNED'],
      [401, 'MOVE_UNSIGNED'],
      [409, 'MOVE_UNAVAILABLE'],
      [409, 'MOVE_UNAVAILABLE'],
      [403, 'NOT_THE_PARTY'],
      [409, 'MOVE_UNAVAILABLE'],
    ]);
    expect(await read(await get(path))).toEqual(before);
  });
}

function disputes(): void {
  test.each([
    ['buyer', 'refunded'],
    ['provider', 'released'],
  ])('a dispute that is decided for the %s ends as %s', async (upheld, state) => {
    const { buyer } = service;
    const { job_id } = await fulfilled();
    const reason = 'It is not what was asked.';
    const disputed = await read<JobView>(
      await buyer.move(job_id, 'dispute', { body: { reason }, hash: sha256Hex(reason) }),
    );
    expect(disputed).toMatchObject({
      state: expect.stringMatching(/^disputed/),
      dispute: { reason },
    });
    const decided = await read<JobView>(await service.decide(job_id, { upheld, why: 'As seen.' }));
    expect(decided).toMatchObject({ state, dispute: { verdict: upheld } });
  });

  test('a dispute is withdrawn, and the money given back', async () => {
    const { buyer, provider } = service;
    const { job_id } = await fulfilled();
    const reason = 'Not yet.';
    await read(await buyer.move(job_id, 'dispute', { body: { reason }, hash: sha256Hex(reason) }));
    const back = await read<JobView>(await buyer.move(job_id, 'withdraw_dispute'));
    expect(back.state).toMatch(/^fulfilled/);
    const refunded = await read<JobView>(await provider.move(job_id, 'give_back'));
    expect(refunded.state).toBe('refunded');
  });
}

function onRelease(): void {
  test('a job that is paid on release asks for the price when it is completed', async () => {
    const { buyer, provider, chain } = service;
    const before = BigInt(await chain.balance(provider.wallet.address));
    const order = { ...ORDER, funding: 'on_release', provider: provider.wallet.address };
    const request = await read<RequestView>(await buyer.ask('/a2a/requests', order), 201);
    const begun = await read<JobView>(
      await buyer.askOnly(`/a2a/requests/${request.request_id}/begin`),
    );
    expect([begun.state, begun.release.on_deadline]).toEqual(['agreed', 'lapsed']);
    const path = `/a2a/jobs/${begun.job_id}`;
    await read(await provider.ask(`${path}/fulfil`, { text: 'bonjour' }));
    const challenge = await buyer.askOnly(`${path}/complete`);
    expect(challenge.status).toBe(402);
    expect(decoded<PaymentRequired>(challenge, 'payment-required').accepts[0]).toMatchObject({
      amount: '25000000',
      payTo: chain.facts.treasury,
      extra: { feeBps: 2000 },
    });
    const paid = await buyer.ask(`${path}/complete`);
    expect(decoded(paid, 'payment-response')).toMatchObject({ success: true });
    expect(await read<JobView>(paid)).toMatchObject({
      state: 'released',
      payout: { net: { amount: '20.00' }, fee: { amount: '5.00' } },
    });
    expect(BigInt(await chain.balance(provider.wallet.address)) - before).toBe(20_000_000n);
  });
}

/** The offer in a challenge, with who signed it and how long it holds, in seconds. */
async function offerOf(challenge: Response) {
  expect(challenge.status).toBe(402);
  const required = decoded<PaymentRequired>(challenge, 'payment-required');
  const { offers } = Object(required.extensions?.['offer-receipt']).info;
  const { signer, payload } = await verifyOfferSignatureEIP712(offers[0] as EIP712SignedOffer);
  const heldS = payload.validUntil - Math.floor(Date.now() / 1_000);
  return { offers, payload, heldS, signer: signer.toLowerCase(), asked: required.accepts[0] };
}

function offers(): void {
  test('the offers of a challenge for the escrow, and of one for a release, are signed', async () => {
    const { buyer, provider, chain, rig } = service;
    const { bid_id } = await bidOn();
    const order = { ...ORDER, funding: 'on_release', provider: provider.wallet.address };
    const request = await read<RequestView>(await buyer.ask('/a2a/requests', order), 201);
    const begun = await read<JobView>(
      await buyer.askOnly(`/a2a/requests/${request.request_id}/begin`),
    );
    await read(await provider.ask(`/a2a/jobs/${begun.job_id}/fulfil`, { text: 'bonjour' }));
    for (const path of [`/a2a/bids/${bid_id}/accept`, `/a2a/jobs/${begun.job_id}/complete`]) {
      const { offers, payload, heldS, signer, asked } = await offerOf(await buyer.askOnly(path));
      expect(offers).toHaveLength(1);
      expect(offers[0].acceptIndex).toBe(0);
      expect(signer).toBe(chain.facts.treasury);
      expect(payload).toMatchObject({
        resourceUrl: `${rig.baseUrl}${path}`,
        payTo: asked?.payTo,
        amount: asked?.amount,
        asset: asked?.asset,
      });
      expect(heldS).toBeGreaterThanOrEqual(600);
      expect(heldS).toBeLessThanOrEqual(1_200);
    }
  });
}

function sealedBids(): void {
  test('a reserve is sealed in the body of a bid, noted as a hash, and told to nobody', async () => {
    proves('C8.t3.c1');
    const { buyer, provider, engine, get } = service;
    const request = await read<RequestView>(await buyer.ask('/a2a/requests', ORDER), 201);
    const path = `/a2a/requests/${request.request_id}`;
    const sealed = { reserve_usd: '17.31', salt: 'c'.repeat(32) };
    const bid = await provider.ask(`${path}/bids`, { price_usd: '20.00', sealed });
    expect(await read<BidView>(bid, 201)).toMatchObject({ price: { amount: '20.00' } });
    const { context } = await engine.view(request.request_id);
    expect(Object(context['bids'])[0].sealed).toEqual({
      commitment: sha256Hex(`stoa sealed reserve v1:${sealed.salt}:17310000`),
      priceMicroUsd: '21155000',
    });
    const told = JSON.stringify(await read(await get(path)));
    for (const word of ['sealed', '17.31', '17310000', '21155000', sealed.salt]) {
      expect(told).not.toContain(word);
    }
  });
}
