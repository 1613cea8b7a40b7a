import { expect, test } from 'vitest';
import {
  DELIVERABLE_QUOTA,
  DeliverableQuota,
} from '../../../src/actors/escrow/deliverable-quota.ts';
import {
  askedFor,
  beginTenDollars,
  jobOf,
  tenDollars,
  type WorkParty,
  type WorkWorld,
  workParty,
  workWorld,
} from '../../support/work-world.ts';

const MIB = 1_048_576;
const DAY = 86_400_000;
const LARGEST = 262_144;
const largest = { deliverable: new Uint8Array(LARGEST).fill(1), mimeType: 'text/plain' };
const one = `0x${'01'.repeat(20)}`;
const taken = (quota: DeliverableQuota, jobId: string, over: object = {}) =>
  quota.reserve({ jobId, provider: one, bytes: MIB, at: 0, ...over });

test('a wallet holds 32 MiB that nobody paid for; the refusal says quota and use', () => {
  const quota = new DeliverableQuota();
  for (let n = 0; n < 32; n += 1) taken(quota, `job_${n}`);
  expect(() => taken(quota, 'job_32', { bytes: 1 })).toThrow(
    expect.objectContaining({
      code: 'DELIVERABLES_FULL',
      message: expect.stringContaining('33554432 of 33554432 bytes'),
      data: {
        whose: 'wallet',
        received_bytes: 4_096,
        used_bytes: 33_554_432,
        quota_bytes: 33_554_432,
      },
    }),
  );
  taken(quota, 'job_0');
  taken(quota, 'job_x', { provider: `0x${'02'.repeat(20)}` });
  quota.release('job_1');
  taken(quota, 'job_32');
});

test('all wallets together hold 1 GiB, until the store has dropped what is 500 days old', () => {
  const quota = new DeliverableQuota();
  const large = (n: number, at = 0) =>
    taken(quota, `job_${n}`, { provider: `wallet ${n}`, bytes: 32 * MIB, at });
  for (let n = 0; n < 32; n += 1) large(n);
  const full = expect.objectContaining({ data: expect.objectContaining({ whose: 'all' }) });
  expect(() => large(32)).toThrow(full);
  expect(() => large(32, 500 * DAY - 1)).toThrow(full);
  large(32, 500 * DAY);
  expect(DELIVERABLE_QUOTA.inAll).toBe(1_024 * MIB);
});

test('each deliverable counts at least 4 KiB', () => {
  const quota = new DeliverableQuota();
  for (let n = 0; n < 8_192; n += 1) taken(quota, `job_${n}`, { bytes: 1 });
  expect(() => taken(quota, 'job_more', { bytes: 1 })).toThrow(/33554432 of 33554432/);
});

test('a repeat for one job takes what its largest needs, once', () => {
  const quota = new DeliverableQuota();
  taken(quota, 'job_1', { bytes: 20 * MIB });
  taken(quota, 'job_1', { bytes: 2 * MIB });
  expect(() => taken(quota, 'job_2', { bytes: 13 * MIB })).toThrow(/20971520 of/);
  quota.release('job_1');
  taken(quota, 'job_2', { bytes: 32 * MIB });
});

/** Begins a job for a provider that is paid on release, and hands the largest work in. */
async function handIn(world: WorkWorld, provider: WorkParty, name: string, board: Board) {
  const order = tenDollars('on_release', { provider: provider.wallet.address });
  const buyer = workParty();
  const { request_id } = await board.postRequest(order, buyer.call(name));
  const { job_id } = jobOf(await board.startJob(request_id, undefined, buyer.call(name)));
  await world.drive(board.fulfil(job_id, largest, undefined, provider.call(name)));
}
type Board = Awaited<ReturnType<WorkWorld['start']>>['board'];

/** Hands a small and a large work in at one time: the first one is kept, and counts. */
async function handInTwo(world: WorkWorld, board: Board): Promise<void> {
  const { provider, buyer } = world;
  const order = tenDollars('on_release', { provider: provider.wallet.address });
  const { request_id } = await board.postRequest(order, buyer.call('race'));
  const { job_id } = jobOf(await board.startJob(request_id, undefined, buyer.call('race')));
  const small = { ...largest, deliverable: new Uint8Array(LARGEST / 4) };
  const both = await Promise.allSettled([
    board.fulfil(job_id, small, undefined, provider.call('small')),
    board.fulfil(job_id, largest, undefined, provider.call('large')),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
}

const USED = 127 * LARGEST + LARGEST / 4;

test('a full wallet hands nothing more in, until one of its jobs is paid; also after a restart', {
  timeout: 30_000,
}, async () => {
  const world = workWorld();
  const { provider } = world;
  const first = await world.start();
  await handInTwo(world, first.board);
  for (let n = 0; n < 126; n += 1) await handIn(world, provider, `job ${n}`, first.board);
  // What is refused for another reason gives its room back.
  const { job_id: paid } = await beginTenDollars(world, first.board, 'on_release');
  const { stranger } = world;
  const foreign = first.board.fulfil(paid, largest, undefined, stranger.call('foreign'));
  await expect(foreign).rejects.toMatchObject({ code: 'NOT_THE_PARTY' });
  await world.drive(first.board.fulfil(paid, largest, undefined, provider.call('last')));
  const over = handIn(world, provider, 'over', first.board);
  await expect(over).rejects.toMatchObject({
    code: 'DELIVERABLES_FULL',
    data: { whose: 'wallet', used_bytes: USED },
  });
  await first.stop();
  await first.engine.close();

  const { board } = await world.start();
  await expect(handIn(world, provider, 'again', board)).rejects.toMatchObject({
    code: 'DELIVERABLES_FULL',
    data: { used_bytes: USED },
  });
  await handIn(world, stranger, 'of another wallet', board);
  const by = world.buyer.call('complete');
  const offer = askedFor(await world.drive(board.complete(paid, {}, by)));
  const payment = await world.buyer.payer.pay(offer, { now: world.clock.now() });
  await world.drive(board.complete(paid, { payment }, by));
  await handIn(world, provider, 'room again', board);
});
