import { afterAll, beforeAll, expect, test } from 'vitest';
import { KINDS, moneyUnderFaults } from '../../support/money-under-faults.ts';
import { type SecondChain, secondChain } from '../../support/second-chain.ts';

// Nodes of others drop, repeat, delay and lose messages, answer with errors to what they have taken,
// and are behind each other. Whatever they do, each transaction that the operator owes is carried
// out once, and nothing is called final before it is.

/** Runs of the short suite, and of the long one; both end when their time is over. */
const RUNS = process.env['STOA_LONG'] === '1' ? 20_000 : 2_000;
const TIME_MS = process.env['STOA_LONG'] === '1' ? 1_200_000 : 6_000;
/** Each kind of transaction is played at least so often, however slow the machine is. */
const RUNS_LEAST = KINDS.length;

let chain: SecondChain;
beforeAll(async () => {
  chain = await secondChain(0);
}, 60_000);
afterAll(() => chain.close());

test('money is right under faults of the node and kills, whichever transaction is sent', async () => {
  const lane = await moneyUnderFaults(chain);
  const deadline = performance.now() + TIME_MS;
  const wrong: unknown[] = [];
  let runs = 0;
  for (; runs < RUNS && (runs < RUNS_LEAST || performance.now() < deadline); runs += 1) {
    const { kind, faults } = await lane.run(runs);
    if (faults.length > 0) wrong.push({ seed: runs, kind, faults });
  }
  expect(wrong, `of ${runs} runs`).toEqual([]);
  expect(Object.values(lane.node.played).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  await lane.close();
}, 1_500_000);
