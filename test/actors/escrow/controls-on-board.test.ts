import { expect, test } from 'vitest';
import { proves } from '../../support/proves.ts';
import { beginTenDollars, tenDollars, workWorld } from '../../support/work-world.ts';

test('with escrow-funded requests OFF no new money goes into the escrow, and jobs go on', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const running = await beginTenDollars(world, board, 'escrow');
  const { buyer, provider, controls } = world;
  const open = await board.postRequest(tenDollars('escrow'), buyer.call('open'));
  const bid = { priceMicroUsd: '10000000', note: '' };
  const { bid_id: bidId } = await board.placeBid(open.request_id, bid, provider.call('bid again'));
  controls.set({ 'escrow-funded-requests': 'OFF' });
  const off = { code: 'CONTROL_OFF', data: { control: 'escrow-funded-requests', label: 'OFF' } };
  const post = board.postRequest(tenDollars('escrow'), buyer.call('another'));
  await expect(post).rejects.toMatchObject(off);
  const accept = board.acceptBid(bidId, undefined, buyer.call('accept'));
  await expect(accept).rejects.toMatchObject(off);
  expect(await board.postRequest(tenDollars('escrow'), buyer.call('open'))).toMatchObject({
    request_id: open.request_id,
  });
  expect((await board.postRequest(tenDollars('on_release'), buyer.call('direct'))).state).toBe(
    'open',
  );
  expect((await board.readJob(running.job_id)).state).toBe('escrowed.waiting');
  expect(world.books().escrow).toBe(10_000_000n);
  controls.set({});
  expect((await board.acceptBid(bidId, undefined, buyer.call('accept'))).kind).toBe(
    'payment_required',
  );
});

test.each(['SHADOW', 'OFF'] as const)('payer binding that is %s stamps no row', async (label) => {
  proves('C8.s1.c8');
  const world = workWorld();
  const { board } = await world.start();
  world.controls.set({ 'payer-binding': label });
  const job = await beginTenDollars(world, board, 'escrow');
  expect([job.state, job.payer_binding]).toEqual(['escrowed.waiting', null]);
});
