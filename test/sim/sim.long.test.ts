import { expect, test } from 'vitest';
import { play, playSeed } from './play.ts';
import { simulate } from './simulation.ts';

/** Time of the fixed seeds and of the fresh one together, in milliseconds. */
const BUDGET_MS = 50_000;
const FIXED_SEEDS = 400;
/** Steps that the slowest machine still gets through. */
const STEPS_MIN = 10_000;

/** What queues and schedules must have met, or the run shows little. */
const MET = ['waited', 'direct', 'ended', 'fired', 'late', 'skipped'] as const;

const asked = process.env['STOA_SIM_SEED'];

if (asked === undefined) {
  test('the engine keeps its promises over faulty disks, clocks, effects and restarts', {
    timeout: 120_000,
  }, async () => {
    const fresh = freshSeed();
    process.stdout.write(`simulation: fresh seed ${fresh}\n`);
    const played = await play(seeds(fresh), { budgetMs: BUDGET_MS });
    const { seeds: many, steps, rows, seconds, counts } = played;
    const words = `${many} seeds, ${steps} steps, ${rows} rows in ${seconds} s`;
    process.stdout.write(`simulation: ${words}\n`);
    expect(steps).toBeGreaterThan(STEPS_MIN);
    for (const name of MET) expect(counts[name], name).toBeGreaterThan(0);
  });

  test('equal seeds give equal runs', { timeout: 60_000 }, async () => {
    for (const seed of [11, 12, 13]) {
      const first = await simulate(run(seed, 300));
      const second = await simulate(run(seed, 300));
      expect(second.digest).toBe(first.digest);
      expect(second.rows).toBe(first.rows);
    }
    const [one, other] = [await simulate(run(11, 50)), await simulate(run(12, 50))];
    expect(one.digest).not.toBe(other.digest);
  });
} else {
  test('the seed that was asked for', { timeout: 120_000 }, async () => {
    const outcome = await playSeed(Number(asked), process.env['STOA_SIM_STEPS']);
    process.stdout.write(`seed ${asked}: ${outcome.steps} steps, ${outcome.digest}\n`);
    expect(outcome.fault).toBeUndefined();
  });
}

function run(seed: number, steps: number) {
  return { seed, steps: Array.from({ length: steps }, (_, n) => n) };
}

/** The fresh seed goes first, so that it is played on the slowest machine as well. */
function* seeds(fresh: number): Generator<number> {
  yield fresh;
  for (let seed = 1; seed <= FIXED_SEEDS; seed += 1) yield seed;
}

function freshSeed(): number {
  return 1_000_000 + Math.floor(Math.random() * 1_000_000_000);
}
