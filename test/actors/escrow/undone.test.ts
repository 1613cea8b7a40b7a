import { expect, test } from 'vitest';
import type { MemoryJob } from '../../support/chain-memory/memory-contracts.ts';
import { beginTenDollars, signMove, workWorld } from '../../support/work-world.ts';

test('a job whose release has left the chain again is not shown as paid', async () => {
  const world = workWorld();
  const gone = new Set<string>();
  Object.assign(world.chain.trust, { revertedTransactions: () => gone });
  const { board } = await world.start();
  const { job_id: jobId } = await beginTenDollars(world, board, 'escrow');
  const moveSignature = await signMove(world.buyer, await board.readJob(jobId), 'release');
  await world.drive(board.complete(jobId, { moveSignature }, world.buyer.call('complete')));
  const released = await board.readJob(jobId);
  expect(released).toMatchObject({ state: 'released', payout: { net: { micro_usd: '8000000' } } });

  // The chain is reorganised: the job is where it was before its release.
  const { jobs } = world.chain.ledger.contracts;
  const key = released.escrow_key ?? '';
  const ended = jobs.get(key) as MemoryJob;
  const transaction = released.payout?.transaction ?? '';
  gone.add(transaction);
  jobs.set(key, { ...ended, state: 'escrowed' });
  expect(await board.readJob(jobId)).toMatchObject({
    state: 'escrowed',
    payout: null,
    refund: null,
    last_error: expect.stringContaining(
      `no longer has transaction ${transaction} (CHAIN.RELEASED)`,
    ),
  });
  expect((await board.listJobs({ limit: 10 })).rows[0]).toMatchObject({ payout: null });

  gone.clear();
  jobs.set(key, ended);
  expect(await board.readJob(jobId)).toEqual(released);
});
