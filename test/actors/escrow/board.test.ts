import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { WorkBoard } from '../../../src/domain/escrow/work-board.ts';
import { proves } from '../../support/proves.ts';
import {
  askedFor,
  beginTenDollars,
  jobOf,
  signMove,
  tenDollars,
  type WorkWorld,
  workWorld,
} from '../../support/work-world.ts';

const HOUR = 3_600_000;
const bytes = new TextEncoder().encode('the page in English');
const sha = createHash('sha256').update(bytes).digest('hex');
const work = { deliverable: bytes, mimeType: 'text/plain' };

async function fulfil(world: WorkWorld, board: WorkBoard, jobId: string) {
  const job = await board.readJob(jobId);
  const signature =
    job.funding === 'escrow' ? await signMove(world.provider, job, 'fulfil', sha) : undefined;
  return world.drive(board.fulfil(jobId, work, signature, world.provider.call('fulfil')));
}

test('an escrowed job goes from request to release, and every micro-dollar is told', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const job = await beginTenDollars(world, board, 'escrow');
  expect(job.state).toBe('escrowed.waiting');
  expect(job.release).toMatchObject({
    fee_bps: 2000,
    fee: { micro_usd: '2000000' },
    net: { micro_usd: '8000000' },
    on_deadline: 'refund',
    deadline: job.fulfil_by,
    payee: world.provider.wallet.address,
  });
  expect(world.books()).toMatchObject({ buyer: -10_000_000n, escrow: 10_000_000n });
  const fulfilled = await fulfil(world, board, job.job_id);
  expect([fulfilled.state, fulfilled.deliverable_sha256]).toEqual(['fulfilled.waiting', sha]);
  expect(fulfilled.moves.map(({ move, by }) => `${by} ${move}`)).toEqual([
    ...['buyer release', 'buyer dispute', 'provider give_back'],
  ]);
  const { buyer } = world;
  const held = board.readDeliverable(job.job_id, buyer.call('read'));
  await expect(held).rejects.toMatchObject({ code: 'DELIVERABLE_HELD' });
  const moveSignature = await signMove(buyer, fulfilled, 'release');
  const outcome = await world.drive(
    board.complete(job.job_id, { moveSignature }, buyer.call('complete')),
  );
  const done = jobOf(outcome);
  expect([done.state, done.payout?.net.micro_usd, done.payout?.fee.micro_usd]).toEqual([
    ...['released', '8000000', '2000000'],
  ]);
  expect(done.facts.map(({ fact }) => fact)).toEqual([
    ...['CHAIN.ESCROWED', 'CHAIN.FULFILLED', 'CHAIN.RELEASED'],
  ]);
  expect(world.books()).toEqual({
    buyer: -10_000_000n,
    provider: 8_000_000n,
    treasury: 2_000_000n,
    escrow: 0n,
  });
  const given = await board.readDeliverable(job.job_id, buyer.call('read'));
  expect(new TextDecoder().decode(given.bytes)).toBe('the page in English');
  const again = await board.complete(job.job_id, { moveSignature }, buyer.call('complete'));
  expect(jobOf(again).payout).toEqual(done.payout);
  const other = board.complete(job.job_id, { moveSignature }, buyer.call('once more'));
  await expect(other).rejects.toMatchObject({ code: 'MOVE_UNAVAILABLE' });
});

test('an escrowed job that nobody releases is released after 72 hours', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const { release } = await fulfil(world, board, job_id);
  expect(Date.parse(release.deadline ?? '') - world.clock.now()).toBeGreaterThan(71 * HOUR);
  await world.clock.advance(71 * HOUR);
  expect((await board.readJob(job_id)).state).toBe('fulfilled.waiting');
  await world.clock.advance(2 * HOUR);
  const job = await board.readJob(job_id);
  expect([job.state, job.payout?.is_automatic]).toEqual(['released', true]);
  expect(world.books()).toMatchObject({ provider: 8_000_000n, treasury: 2_000_000n, escrow: 0n });
});

test('an escrowed job that nobody fulfils goes back to the buyer', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  await world.clock.advance(26 * HOUR);
  expect((await board.readJob(job_id)).state).toBe('refunded');
  expect(world.books()).toEqual({ buyer: 0n, provider: 0n, treasury: 0n, escrow: 0n });
});

test('a job that is paid on release takes the payment and pays the provider its share', async () => {
  const world = workWorld();
  const { board, engine } = await world.start();
  const { buyer } = world;
  const job = await beginTenDollars(world, board, 'on_release');
  expect([job.state, job.release.on_deadline]).toEqual(['agreed', 'lapsed']);
  await fulfil(world, board, job.job_id);
  const by = buyer.call('complete');
  const offer = askedFor(await world.drive(board.complete(job.job_id, {}, by)));
  expect([offer.payTo, offer.amount]).toEqual([world.chain.facts.treasury, '10000000']);
  const payment = await buyer.payer.pay(offer, { now: world.clock.now() });
  const done = jobOf(await world.drive(board.complete(job.job_id, { payment }, by)));
  expect([done.state, done.payout?.is_late]).toEqual(['released', false]);
  const books = { buyer: -10_000_000n, provider: 8_000_000n, treasury: 2_000_000n, escrow: 0n };
  expect(world.books()).toEqual(books);
  await world.drive(board.complete(job.job_id, { payment }, by));
  await world.clock.advance(HOUR);
  expect(world.books()).toEqual(books);
  const { rows } = await engine.list({ kind: 'payment' });
  expect(rows.map(({ state }) => state)).toEqual(['closed']);
});

test('an unreleased job closes as expired_unreleased, and a late release still pays', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer } = world;
  const { job_id } = await beginTenDollars(world, board, 'on_release');
  await fulfil(world, board, job_id);
  await world.clock.advance(73 * HOUR);
  const closed = await board.readJob(job_id);
  expect([closed.state, closed.moves.map(({ move }) => move)]).toEqual([
    ...['expired_unreleased', ['release_late']],
  ]);
  const offer = askedFor(await board.complete(job_id, {}, buyer.call('late')));
  const payment = await buyer.payer.pay(offer, { now: world.clock.now() });
  const done = jobOf(await world.drive(board.complete(job_id, { payment }, buyer.call('late'))));
  expect([done.state, done.payout?.is_late]).toEqual(['released', true]);
  expect(world.books()).toMatchObject({ provider: 8_000_000n, treasury: 2_000_000n });
});

test('an expired job is released late for 400 days, and then ends', async () => {
  const world = workWorld();
  const { board, engine } = await world.start();
  const { buyer } = world;
  const { job_id } = await beginTenDollars(world, board, 'on_release');
  await fulfil(world, board, job_id);
  await world.clock.advance(72 * HOUR + 400 * 24 * HOUR - 1);
  const last = await board.readJob(job_id);
  expect([last.state, last.moves.map(({ move }) => move)]).toEqual([
    ...['expired_unreleased', ['release_late']],
  ]);
  await world.clock.advance(1);
  const over = await board.readJob(job_id);
  expect([over.state, over.moves, over.release.how_to_release]).toEqual(['forgone', [], []]);
  expect((await engine.view(job_id)).status).toBe('done');
  await expect(board.complete(job_id, {}, buyer.call('too late'))).rejects.toMatchObject({
    code: 'MOVE_UNAVAILABLE',
    data: { state: 'forgone', moves: [] },
  });
  await engine.purge(job_id);
});

test('a job whose money never came ends 400 days after it was closed', async () => {
  const world = workWorld();
  const { board, engine } = await world.start();
  const { buyer, provider, chain, clock } = world;
  const request = await world.drive(board.postRequest(tenDollars('escrow'), buyer.call('post')));
  const bid = await board.placeBid(
    request.request_id,
    { priceMicroUsd: '10000000', note: '' },
    provider.call('bid'),
  );
  const accept = buyer.call('accept');
  const offer = askedFor(await world.drive(board.acceptBid(bid.bid_id, undefined, accept)));
  const payment = await buyer.payer.pay(offer, { now: clock.now() });
  chain.trust.faults.fates.push('refused');
  await expect(world.drive(board.acceptBid(bid.bid_id, payment, accept))).rejects.toBeDefined();
  const [job] = (await engine.list({ kind: 'job' })).rows;
  await clock.advance(2 * HOUR);
  const id = job?.id ?? '';
  expect((await board.readJob(id)).state).toBe('unfunded.closed');
  await clock.advance(399 * 24 * HOUR);
  expect((await board.readJob(id)).state).toBe('unfunded.closed');
  await clock.advance(24 * HOUR);
  expect((await board.readJob(id)).state).toBe('lapsed');
  await engine.purge(id);
  expect(world.books()).toEqual({ buyer: 0n, provider: 0n, treasury: 0n, escrow: 0n });
});

test('one payment releases one job, and no other', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider } = world;
  const ids: string[] = [];
  for (const name of ['one', 'other']) {
    const order = tenDollars('on_release', { provider: provider.wallet.address });
    const { request_id } = await board.postRequest(order, buyer.call(name));
    const job = jobOf(await world.drive(board.startJob(request_id, undefined, buyer.call(name))));
    await world.drive(board.fulfil(job.job_id, work, undefined, provider.call(name)));
    ids.push(job.job_id);
  }
  const [one = '', other = ''] = ids;
  const offer = askedFor(await board.complete(one, {}, buyer.call('pay')));
  const payment = await buyer.payer.pay(offer, { now: world.clock.now() });
  const both = [one, other].map((id) => board.complete(id, { payment }, buyer.call(`pay ${id}`)));
  const ends = await world.drive(Promise.allSettled(both));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(world.books()).toMatchObject({ buyer: -10_000_000n, provider: 8_000_000n });
});

test('a dispute is opened, frozen and decided for the buyer', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const job = await fulfil(world, board, job_id);
  const reason = 'half of it is missing';
  const hash = createHash('sha256').update(reason).digest('hex');
  const signature = await signMove(world.buyer, job, 'dispute', hash);
  const by = world.buyer.call('dispute');
  const disputed = await world.drive(board.dispute(job_id, reason, signature, by));
  expect([disputed.state, disputed.dispute?.reason]).toEqual(['disputed.waiting', reason]);
  await world.clock.advance(100 * HOUR);
  expect((await board.readJob(job_id)).state).toBe('disputed.waiting');
  const verdict = { upheld: 'buyer', why: 'pages 3 to 5 are not there' } as const;
  const decided = await world.drive(board.decide(job_id, verdict));
  expect([decided.state, decided.dispute?.verdict]).toEqual(['refunded', 'buyer']);
  expect(world.books()).toEqual({ buyer: 0n, provider: 0n, treasury: 0n, escrow: 0n });
});

test('a withdrawn dispute gives the window back', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const job = await fulfil(world, board, job_id);
  const hash = createHash('sha256').update('hm').digest('hex');
  const signature = await signMove(world.buyer, job, 'dispute', hash);
  await world.clock.advance(10 * HOUR);
  const by = world.buyer.call('dispute');
  const disputed = await world.drive(board.dispute(job_id, 'hm', signature, by));
  await world.clock.advance(50 * HOUR);
  const withdrawal = await signMove(world.buyer, disputed, 'withdraw_dispute');
  const after = await world.drive(
    board.withdrawDispute(job_id, withdrawal, world.buyer.call('withdraw')),
  );
  expect(after.state).toBe('fulfilled.waiting');
  await world.clock.advance(61 * HOUR);
  expect((await board.readJob(job_id)).state).toBe('fulfilled.waiting');
  await world.clock.advance(2 * HOUR);
  expect((await board.readJob(job_id)).state).toBe('released');
});

test('a dispute that nobody decides pays neither side, however long they wait', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const job = await fulfil(world, board, job_id);
  const hash = createHash('sha256').update('hm').digest('hex');
  const signature = await signMove(world.buyer, job, 'dispute', hash);
  await world.drive(board.dispute(job_id, 'hm', signature, world.buyer.call('dispute')));
  const stood = world.books();
  await world.clock.advance(167 * HOUR);
  expect((await board.readJob(job_id)).dispute).toMatchObject({
    on_silence: 'held',
    is_undecided: false,
  });
  for (const hours of [2, 30 * 24, 400 * 24]) {
    await world.clock.advance(hours * HOUR);
    const waiting = await board.readJob(job_id);
    expect(waiting).toMatchObject({
      state: 'disputed.waiting',
      dispute: { is_undecided: true },
    });
    expect(waiting.moves.map(({ move }) => move).sort()).toEqual([
      ...['decide', 'give_back', 'release', 'withdraw_dispute'],
    ]);
    expect(world.books()).toEqual(stood);
  }
  const late = await world.drive(board.decide(job_id, { upheld: 'provider', why: 'it is whole' }));
  expect(late.state).toBe('released');
});

test('the payer binding is stamped and never blocks', async () => {
  proves('C5.i5.c1', 'C5.i5.c2');
  const world = workWorld();
  const { board } = await world.start();
  world.passports.set(world.buyer.wallet.address, world.stranger.wallet.address);
  const job = await beginTenDollars(world, board, 'escrow');
  expect([job.state, job.payer_binding]).toEqual([
    'escrowed.waiting',
    {
      payer: world.buyer.wallet.address,
      match: false,
      registered_wallet: world.stranger.wallet.address,
    },
  ]);
});

test('money that the chain refuses opens the request again, for another try', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, chain, clock } = world;
  const order = tenDollars('escrow', { provider: provider.wallet.address });
  const { request_id } = await world.drive(board.postRequest(order, buyer.call('post')));
  const first = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('b'))));
  chain.trust.faults.fates.push('refused');
  const payment = await buyer.payer.pay(first, { now: clock.now() });
  const refused = world.drive(board.startJob(request_id, payment, buyer.call('b')));
  await expect(refused).rejects.toMatchObject({ code: 'SETTLEMENT_FAILED' });
  await clock.advance(0);
  expect((await board.readRequest(request_id)).state).toBe('open');
  const second = askedFor(
    await world.drive(board.startJob(request_id, undefined, buyer.call('c'))),
  );
  expect(second.extra['escrowKey']).not.toBe(first.extra['escrowKey']);
  const again = await buyer.payer.pay(second, { now: clock.now() });
  const job = jobOf(await world.drive(board.startJob(request_id, again, buyer.call('c'))));
  expect(job.state).toBe('escrowed.waiting');
  expect(world.books()).toMatchObject({ buyer: -10_000_000n, escrow: 10_000_000n });
});

test('a job that was funded on the chain before it was here finds its money', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, chain, clock } = world;
  const order = tenDollars('escrow', { provider: provider.wallet.address });
  const { request_id } = await world.drive(board.postRequest(order, buyer.call('post')));
  const offer = askedFor(await world.drive(board.startJob(request_id, undefined, buyer.call('b'))));
  const payment = await buyer.payer.pay(offer, { now: clock.now() });
  const {
    jobId,
    provider: to,
    amount,
    fulfilBy,
  } = offer.extra['terms'] as never as {
    readonly [name: string]: string;
  };
  const terms = {
    jobId: String(jobId),
    buyer: buyer.wallet.address,
    provider: String(to),
    amount: String(amount),
    fulfilByS: Number(fulfilBy),
  };
  await chain.trust.escrow.fund({ terms, ...payment.payload, form: 'exact' });
  await clock.advance(0);
  expect(world.notices.join()).toContain('for unknown job key');
  const job = jobOf(await world.drive(board.startJob(request_id, payment, buyer.call('b'))));
  expect(job.state).toBe('escrowed.waiting');
  expect(world.books()).toMatchObject({ buyer: -10_000_000n, escrow: 10_000_000n });
});

test('a request goes by its bids, its bounds and its end', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { buyer, provider, stranger } = world;
  const { request_id } = await world.drive(
    board.postRequest(tenDollars('escrow'), buyer.call('post')),
  );
  const again = await world.drive(board.postRequest(tenDollars('escrow'), buyer.call('post')));
  expect(again.request_id).toBe(request_id);
  const offer = { priceMicroUsd: '9000000', note: 'soon' };
  const refusals = [
    [board.placeBid(request_id, offer, buyer.call('own')), 'NOT_THE_PARTY'],
    [
      board.placeBid(request_id, { ...offer, priceMicroUsd: '10000001' }, provider.call('dear')),
      'INPUT_INVALID',
    ],
    [board.withdrawRequest(request_id, stranger.call('w')), 'NOT_THE_PARTY'],
    [board.startJob(request_id, undefined, buyer.call('begin')), 'MOVE_UNAVAILABLE'],
    [
      board.acceptBid(`bid_${'0'.repeat(32)}_${'0'.repeat(12)}`, undefined, buyer.call('a')),
      'BID_UNKNOWN',
    ],
    [board.readRequest('req_0'), 'REQUEST_UNKNOWN'],
    [board.readJob('job_0'), 'JOB_UNKNOWN'],
  ] as const;
  for (const [call, code] of refusals) await expect(call).rejects.toMatchObject({ code });
  const bid = await board.placeBid(request_id, offer, provider.call('bid'));
  await expect(board.placeBid(request_id, offer, provider.call('two'))).rejects.toMatchObject({
    code: 'MOVE_UNAVAILABLE',
  });
  const open = await board.listOpenRequests({ capabilityId: 'translation.zh-en', limit: 10 });
  expect(open.rows.map((row) => row.bids.map(({ bid_id }) => bid_id))).toEqual([[bid.bid_id]]);
  expect((await board.listOpenRequests({ capabilityId: 'other', limit: 10 })).rows).toEqual([]);
  expect((await board.withdrawBid(bid.bid_id, provider.call('w'))).status).toBe('withdrawn');
  await expect(board.acceptBid(bid.bid_id, undefined, buyer.call('x'))).rejects.toMatchObject({
    code: 'MOVE_UNAVAILABLE',
  });
  await world.clock.advance(2 * HOUR);
  const over = await board.readRequest(request_id);
  expect([over.state, over.moves]).toEqual(['expired', []]);
});

test('a sealed reserve runs in shadow: it is kept as a hash and changes no price', async () => {
  proves('C8.t3.c1', 'C8.t3.c3');
  const world = workWorld();
  const { board, engine } = await world.start();
  const { buyer, provider } = world;
  const sealed = { reserveMicroUsd: '20000000', salt: 's'.repeat(32) };
  const bidOn = async (budgetMicroUsd: string) => {
    const { request_id } = await world.drive(
      board.postRequest(tenDollars('escrow', { budgetMicroUsd }), buyer.call(budgetMicroUsd)),
    );
    const order = { priceMicroUsd: budgetMicroUsd, note: '', sealed };
    const bid = await board.placeBid(request_id, order, provider.call(`bid ${budgetMicroUsd}`));
    const { context } = await engine.view(request_id);
    return { bid, kept: (context['bids'] as { sealed: unknown }[])[0]?.sealed };
  };
  expect((await bidOn('24999999')).kept).toBeNull();
  const { bid, kept } = await bidOn('25000000');
  expect(kept).toMatchObject({ priceMicroUsd: '22500000' });
  expect(bid.price.micro_usd).toBe('25000000');
  expect(JSON.stringify(bid)).not.toContain('sealed');
  expect(JSON.stringify(kept)).not.toContain('20000000');
});
