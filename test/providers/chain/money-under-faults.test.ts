import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KINDS, playMoney } from '../../support/money-under-faults.ts';
import { type SecondChain, secondChain } from '../../support/second-chain.ts';

// Nodes of others drop, repeat, delay and lose messages, answer with errors to what they have taken,
// are behind each other, and replace their newest block. Whatever they do, each transaction that the
// operator owes is carried out once, nothing is called final before it is, and the auditor's books
// balance after each run.

// Pauses pass ten times as fast: what is waited for here is a node on the same machine.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout: typeof real.setTimeout = (delayMs = 0, value, options) =>
    real.setTimeout(delayMs / 10, value, options);
  return { ...real, setTimeout };
});

/** Runs of the short suite, and of the long one; both end when their time is over. */
const isLong = process.env['STOA_LONG'] === '1';
const RUNS = isLong ? 20_000 : 2_000;
const TIME_MS = isLong ? 1_200_000 : 40_000;
/** A seed that failed, to be played alone. */
const SEED = process.env['STOA_SEED'];

let chain: SecondChain;
beforeAll(async () => {
  chain = await secondChain(0);
});
afterAll(() => chain.close());

test('money is right under faults of the node and kills, whichever transaction is sent', async () => {
  const all = { firstSeed: 0, runs: RUNS, timeMs: TIME_MS };
  const one = { firstSeed: Number(SEED), runs: 1, timeMs: 0 };
  const { runs, wrong, met } = await playMoney(chain, SEED === undefined ? all : one);
  process.stdout.write(`money under faults: ${runs} runs ${JSON.stringify(met)}\n`);
  expect(wrong, `of ${runs} runs; STOA_SEED=<seed> plays one alone`).toEqual([]);
  const sum = Object.values(met).reduce((all, count) => all + count, 0);
  expect(SEED !== undefined || sum >= KINDS.length).toBe(true);
}, 1_800_000);
