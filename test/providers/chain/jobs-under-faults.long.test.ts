import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type MoneyWorld, moneyWorld } from '../../support/money/money-world.ts';
import { JOBS, planRuns, playMoney } from '../../support/money/play-money.ts';

// As money-under-faults.long.test.ts, for jobs in the escrow, agents and roots. STOA_LONG=all plays
// more.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const { virtualSleep } = await import('../../support/money/virtual-time.ts');
  return { ...real, setTimeout: virtualSleep(real.setTimeout) };
});
vi.mock('node:fs', async (original) => {
  const { quickFiles } = await import('../../support/money/quick-files.ts');
  return quickFiles(await original<typeof import('node:fs')>());
});
vi.mock('viem/utils', async (original) => {
  const real = await original<typeof import('viem/utils')>();
  const { inProcessHttp } = await import('../../support/money/in-process-http.ts');
  return { ...real, getHttpRpcClient: inProcessHttp(real.getHttpRpcClient) };
});

/** A node that is behind denied money that was there; a reorganisation put a job before the start. */
const ONCE_WRONG = [3685, 4346, 6389];

let world: MoneyWorld;
beforeAll(async () => {
  world = await moneyWorld();
});
afterAll(() => world.close());

test('jobs are right under faults of the node and kills, whichever move is made', async () => {
  const { runs, wrong, told } = await playMoney(world, planRuns(JOBS, ONCE_WRONG));
  process.stdout.write(`jobs under faults: ${told}\n`);
  expect(wrong, `of ${runs} runs; STOA_SEED=<seed> plays one alone`).toEqual([]);
}, 7_200_000);
