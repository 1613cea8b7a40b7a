import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { WorkBoard } from '../../../src/domain/escrow/work-board.ts';
import { beginTenDollars, signMove, type WorkWorld, workWorld } from '../../support/work-world.ts';

const HOUR = 3_600_000;
const bytes = new TextEncoder().encode('done');
const sha = createHash('sha256').update(bytes).digest('hex');
const work = { deliverable: bytes, mimeType: 'text/plain' };

async function fulfilled(world: WorkWorld, board: WorkBoard) {
  const { job_id } = await beginTenDollars(world, board, 'escrow');
  const signature = await signMove(world.provider, await board.readJob(job_id), 'fulfil', sha);
  await world.drive(board.fulfil(job_id, work, signature, world.provider.call('fulfil')));
  return job_id;
}

/** The party fetches what it is owed, to an account that can receive. */
function fetchOwed({ chain }: WorkWorld, wallet: string) {
  const { owed, frozen } = chain.ledger.contracts;
  frozen.delete(wallet);
  const value = owed.get(wallet) ?? 0n;
  owed.delete(wallet);
  chain.ledger.pay({ from: chain.trust.contracts.escrow ?? '', to: wallet, value });
}

const ENDS = {
  'the buyer releases': async (world: WorkWorld, board: WorkBoard, jobId: string) => {
    const moveSignature = await signMove(world.buyer, await board.readJob(jobId), 'release');
    await world.drive(board.complete(jobId, { moveSignature }, world.buyer.call('complete')));
  },
  'the window ends': async (world: WorkWorld) => {
    await world.clock.advance(73 * HOUR);
  },
} as const;

test.each(Object.entries(ENDS))(
  'a frozen provider is owed, not paid, when %s; paid once it has fetched',
  async (_name, end) => {
    const world = workWorld();
    const process = await world.start();
    const { board } = process;
    const jobId = await fulfilled(world, board);
    const { address } = world.provider.wallet;
    world.chain.ledger.contracts.frozen.add(address);
    await end(world, board, jobId);
    const job = await board.readJob(jobId);
    expect(job).toMatchObject({
      payout: null,
      moves: [],
      release: { on_deadline: 'none', how_to_release: [] },
      owed: {
        to: address,
        role: 'provider',
        amount: { micro_usd: '8000000' },
        how: expect.stringContaining('fetch(address)'),
      },
    });
    expect(job.state).not.toBe('released');
    expect(world.books()).toMatchObject({ provider: 0n });
    const rows = await process.engine.feedRows(0, 1_000);
    expect(rows.map(({ event }) => event.type)).not.toContain('CHAIN.RELEASED');

    fetchOwed(world, address);
    expect(await world.drive(board.readJob(jobId))).toMatchObject({
      state: 'released',
      owed: null,
      payout: { net: { micro_usd: '8000000' } },
    });
  },
);

test('a frozen buyer is owed its refund until it has it', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const { job_id: jobId } = await beginTenDollars(world, board, 'escrow');
  const { address } = world.buyer.wallet;
  world.chain.ledger.contracts.frozen.add(address);
  const signature = await signMove(world.provider, await board.readJob(jobId), 'give_back');
  await world.drive(board.giveBack(jobId, signature, world.provider.call('back')));
  expect(await board.readJob(jobId)).toMatchObject({
    refund: null,
    owed: { to: address, role: 'buyer', amount: { micro_usd: '10000000' } },
  });
  fetchOwed(world, address);
  expect(await world.drive(board.readJob(jobId))).toMatchObject({
    state: 'refunded',
    owed: null,
    refund: { amount: { micro_usd: '10000000' } },
  });
});

test('what is owed survives a restart, and the job ends by itself once it is fetched', async () => {
  const world = workWorld();
  const first = await world.start();
  const jobId = await fulfilled(world, first.board);
  const { address } = world.provider.wallet;
  world.chain.ledger.contracts.frozen.add(address);
  await world.clock.advance(73 * HOUR);
  await first.stop();
  await first.engine.close();
  const next = await world.start();
  expect((await next.board.readJob(jobId)).owed).toMatchObject({ to: address });
  fetchOwed(world, address);
  await world.clock.advance(HOUR);
  const view = await next.engine.view(jobId);
  expect(view.value).toBe('released');
});
