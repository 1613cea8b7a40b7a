import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createReceiveRequest } from '../../../src/domain/escrow/offers.ts';
import type { WorkBoard } from '../../../src/domain/escrow/work-board.ts';
import { soon } from '../../support/proof-rig.ts';
import {
  askedFor,
  beginTenDollars,
  jobOf,
  signMove,
  tenDollars,
  type WorkWorld,
  workWorld,
} from '../../support/work-world.ts';

const bytes = new TextEncoder().encode('the page in English');
const sha = createHash('sha256').update(bytes).digest('hex');
const work = { deliverable: bytes, mimeType: 'text/plain' };

async function fulfil(world: WorkWorld, board: WorkBoard, jobId: string) {
  const signature = await signMove(world.provider, await board.readJob(jobId), 'fulfil', sha);
  return world.drive(board.fulfil(jobId, work, signature, world.provider.call('fulfil')));
}

test('of two moves at one time one is made, and the other learns where the job stands', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider } = world;
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const job = await fulfil(world, board, job_id);
  const moveSignature = await signMove(buyer, job, 'release');
  const giveBack = await signMove(provider, job, 'give_back');
  const ends = await world.drive(
    Promise.allSettled([
      board.complete(job_id, { moveSignature }, buyer.call('complete')),
      board.giveBack(job_id, giveBack, provider.call('back')),
    ]),
  );
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = ends.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toMatchObject({ code: 'MOVE_UNAVAILABLE' });
  const { buyer: paid, provider: got, treasury, escrow } = world.books();
  expect([paid + got + treasury, escrow]).toEqual([0n, 0n]);
});

test('of two acceptances at one time one job is made, and both are told of it', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, clock } = world;
  const order = tenDollars('escrow', { provider: provider.wallet.address });
  const { request_id } = await world.drive(board.postRequest(order, buyer.call('post')));
  const offer = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('b'))));
  const payments = await Promise.all(
    [0, 1].map(() => buyer.payer.pay(offer, { now: clock.now() })),
  );
  const both = payments.map((payment, n) =>
    board.startJob(request_id, payment, buyer.call(`b${n}`)),
  );
  const jobs = (await world.drive(Promise.all(both))).map(jobOf);
  expect(new Set(jobs.map((job) => job.job_id)).size).toBe(1);
  expect(world.books()).toMatchObject({ buyer: -10_000_000n, escrow: 10_000_000n });
});

test('a late acceptance does not give the request to a job that went unfunded meanwhile', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, chain, clock } = world;
  const order = tenDollars('escrow', { provider: provider.wallet.address });
  const { request_id } = await world.drive(board.postRequest(order, buyer.call('post')));
  const offer = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('b'))));
  const payment = await buyer.payer.pay(offer, { now: clock.now() });
  const { readLabel } = world.controls;
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  // The last thing that is asked before the request is given away.
  let asked = 0;
  world.controls.readLabel = async (control) => {
    if (control === 'payer-binding') asked += 1;
    if (control === 'payer-binding' && asked === 1) await held;
    return readLabel(control);
  };
  const late = board.startJob(request_id, payment, buyer.call('late')).catch((thrown) => thrown);
  await soon(() => asked === 1);
  chain.trust.faults.fates.push('refused');
  const first = world.drive(board.startJob(request_id, payment, buyer.call('first')));
  await expect(first).rejects.toMatchObject({ code: 'SETTLEMENT_FAILED' });
  await clock.advance(0);
  go();
  expect(await world.drive(late)).toMatchObject({ code: 'SETTLEMENT_FAILED' });
  expect((await board.readRequest(request_id)).state).toBe('open');
  const next = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('c'))));
  const again = await buyer.payer.pay(next, { now: clock.now() });
  const job = jobOf(await world.drive(board.startJob(request_id, again, buyer.call('c'))));
  expect(job.state).toBe('escrowed.waiting');
});

test('a move without its signature, or with another one, changes nothing and says what to sign', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, stranger } = world;
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const before = await board.readJob(job_id);
  const foreign = await signMove(buyer, before, 'fulfil', sha);
  for (const signature of [undefined, foreign, '0x']) {
    const asked = board.fulfil(job_id, work, signature, provider.call(`f ${signature}`));
    await expect(asked).rejects.toMatchObject({
      code: 'MOVE_UNSIGNED',
      data: { typed_data: { primaryType: 'Fulfil', message: { deliverable: `0x${sha}` } } },
    });
  }
  const theirs = board.complete(job_id, {}, stranger.call('c'));
  await expect(theirs).rejects.toMatchObject({ code: 'NOT_THE_PARTY' });
  const early = board.dispute(job_id, 'why', undefined, buyer.call('d'));
  await expect(early).rejects.toMatchObject({
    code: 'MOVE_UNAVAILABLE',
    data: { state: 'escrowed.waiting' },
  });
  expect(await board.readJob(job_id)).toEqual(before);
});

test('money of others, too little of it, or for other terms is refused before anything changes', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, stranger, clock } = world;
  const now = clock.now();
  const order = tenDollars('escrow', { provider: provider.wallet.address });
  const { request_id } = await world.drive(board.postRequest(order, buyer.call('post')));
  const offer = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('b'))));
  const key = String(offer.extra['escrowKey']) as `0x${string}`;
  const cases = [
    [await stranger.payer.pay(offer, { now }), 'NOT_THE_PARTY'],
    [await buyer.payer.pay(offer, { now, authorization: { value: '9' } }), 'PAYMENT_UNDERPAID'],
    [await buyer.payer.pay(offer, { now, authorization: { nonce: key } }), 'PAYMENT_FORGED'],
    [await buyer.payer.pay(offer, { now: now - 900_000 }), 'PAYMENT_EXPIRED'],
    [
      await buyer.payer.pay(
        { ...offer, payTo: world.chain.facts.treasury },
        { now, accepted: { payTo: offer.payTo } },
      ),
      'PAYMENT_WRONG_ASSET',
    ],
  ] as const;
  for (const [payment, code] of cases) {
    const asked = world.drive(board.startJob(request_id, payment, buyer.call(code)));
    await expect(asked, code).rejects.toMatchObject({ code });
  }
  expect((await board.readRequest(request_id)).state).toBe('open');
  expect(world.books()).toEqual({ buyer: 0n, provider: 0n, treasury: 0n, escrow: 0n });
});

test('a buyer who signs the terms funds the job by them, and nobody can take the money for others', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, clock, chain } = world;
  const order = tenDollars('escrow', { provider: provider.wallet.address });
  const { request_id } = await world.drive(board.postRequest(order, buyer.call('post')));
  const offer = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('b'))));
  const nonce = String(offer.extra['escrowKey']) as `0x${string}`;
  const plain = await buyer.payer.pay(offer, { now: clock.now(), authorization: { nonce } });
  const signature = await buyer.wallet.sign(createReceiveRequest(chain.facts, plain));
  const payment = { ...plain, payload: { ...plain.payload, signature } };
  const job = jobOf(await world.drive(board.startJob(request_id, payment, buyer.call('b'))));
  expect([job.state, job.escrow_key]).toEqual(['escrowed.waiting', nonce]);
  expect(world.books()).toMatchObject({ buyer: -10_000_000n, escrow: 10_000_000n });
});

test('a repeated delivery is told of the refusal that the first one got', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, chain } = world;
  const job = await beginTenDollars(world, board, 'escrow');
  const signature = await signMove(world.provider, job, 'fulfil', sha);
  const release = await signMove(buyer, job, 'release');
  // The buyer was first, on the chain itself.
  await chain.trust.escrow.move(job.escrow_key ?? '', { move: 'release', signature: release });
  const deliver = () =>
    world.drive(board.fulfil(job.job_id, work, signature, world.provider.call('fulfil')));
  await expect(deliver()).rejects.toMatchObject({ code: 'MOVE_UNAVAILABLE' });
  await expect(deliver()).rejects.toMatchObject({ code: 'MOVE_UNAVAILABLE' });
});

test.each(['escrow', 'on_release'] as const)(
  'below the least whose fee covers the gas nothing is posted, bid or begun: %s',
  async (funding) => {
    const world = workWorld();
    let minimum = await world.chain.trust.readMinimumJobBudget();
    Object.assign(world.chain.trust, { readMinimumJobBudget: async () => minimum });
    const { board } = await world.start();
    const { buyer, provider, stranger } = world;
    const least = { path: 'budget', received: '0.009999', allowed: { from: '0.01' } };
    for (const budgetMicroUsd of ['9999', '1']) {
      const small = { ...tenDollars(funding), budgetMicroUsd };
      await expect(
        board.postRequest(small, buyer.call(`post ${budgetMicroUsd}`)),
      ).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        ...(budgetMicroUsd === '9999' ? { data: least } : {}),
      });
    }
    const order = { ...tenDollars(funding), budgetMicroUsd: '10000' };
    const open = await world.drive(board.postRequest(order, buyer.call('open')));
    const bid = (priceMicroUsd: string) =>
      board.placeBid(open.request_id, { priceMicroUsd, note: '' }, stranger.call(priceMicroUsd));
    await expect(bid('9999')).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      data: { path: 'price', allowed: { micro_usd: '10000' } },
    });
    await world.drive(bid('10000'));
    const meant = await world.drive(
      board.postRequest({ ...order, provider: provider.wallet.address }, buyer.call('meant')),
    );
    minimum = '10001';
    await expect(
      world.drive(board.startJob(meant.request_id, undefined, buyer.call('begin'))),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID', data: { allowed: { from: '0.010001' } } });
  },
);

test('a wallet has twenty open requests at most', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const post = (n: number) =>
    board.postRequest(tenDollars('on_release'), world.buyer.call(`post ${n}`));
  for (let n = 0; n < 20; n += 1) await world.drive(post(n));
  await expect(post(20)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    data: { received: 21, allowed: 20 },
  });
  await expect(post(0)).resolves.toMatchObject({ state: 'open' });
});
