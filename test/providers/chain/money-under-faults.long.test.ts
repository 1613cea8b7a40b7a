import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type MoneyWorld, moneyWorld } from '../../support/money/money-world.ts';
import { PAYMENTS, planRuns, playMoney } from '../../support/money/play-money.ts';

// Nodes of others drop, repeat, delay and lose requests, answer with errors to what they have taken,
// are behind each other, lie about it, and replace their newest block. Servers die at any request.
// Whatever comes, each transaction that the operator owes is carried out once, nothing is called
// final before it is, and the audit of the books agrees after each run.
//
// The node is a real one. It is asked through its socket, in a time that passes only while everybody
// waits, and every run begins at the same block: so 1,000 runs take about a minute here and in
// jobs-under-faults.long.test.ts, and ten times as many with STOA_LONG=all. Two things bound that:
// the node executes each call, and a server that begins asks it about forty questions.
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

let world: MoneyWorld;
beforeAll(async () => {
  world = await moneyWorld();
});
afterAll(() => world.close());

test('money is right under faults of the node and kills, whichever payment is sent', async () => {
  const { runs, wrong, told } = await playMoney(world, planRuns(PAYMENTS));
  process.stdout.write(`payments under faults: ${told}\n`);
  expect(wrong, `of ${runs} runs; STOA_SEED=<seed> plays one alone`).toEqual([]);
}, 7_200_000);
