import { expect, test } from 'vitest';
import { play } from './play.ts';

const STEPS = 1_000_000;
/** First of the seeds that CI plays. */
const GATE_SEED = 10_000;
/** A guard: on a quiet core it takes about five minutes. */
const BUDGET_MS = 15 * 60 * 1_000;

test('a million steps break no promise', { timeout: BUDGET_MS + 60_000 }, async () => {
  // A gate gives one answer to one commit; a person's run looks where nobody has looked yet.
  const isGate = process.env['CI'] === 'true';
  const first = isGate ? GATE_SEED : GATE_SEED + Math.floor(Math.random() * 1_000_000_000);
  process.stdout.write(`simulation: seeds from ${first}\n`);
  const played = await play(from(first), { budgetMs: BUDGET_MS, steps: STEPS });
  process.stdout.write(`simulation: ${JSON.stringify(played)}\n`);
  expect(played.steps).toBeGreaterThanOrEqual(STEPS);
});

function* from(first: number): Generator<number> {
  for (let seed = first; ; seed += 1) yield seed;
}
