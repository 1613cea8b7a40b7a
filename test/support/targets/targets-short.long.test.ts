import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { allTargets } from './all-targets.ts';
import { honestCalls } from './honest-calls.ts';
import { tryOut } from './proven-targets.ts';
import { startTarget } from './start-target.ts';
import { begin } from './steps/wire.ts';

const SEEDS = [0, 1, 2];
const VARIANTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const named = allTargets.map((target) => [target.name, target] as const);

describe.concurrent.each(named)('%s', (_name, target) => {
  test.each(SEEDS)('has its fault, and its twin has not, with seed %i', async (seed) => {
    const faulty = await tryOut(target, seed, false);
    const fixed = await tryOut(target, seed, true);
    expect(faulty.isShown).toBe(true);
    expect(fixed).toEqual({ isShown: false, effects: [] });
  });

  test('the twin does the job', async () => {
    const running = await startTarget(target, { seed: 3, fixed: true });
    try {
      const [payload, expected] = honestCalls[target.name] ?? ['', /^$/];
      const session = await begin(running);
      // Faults of the front have no weak tool: the job is that of the first listed one.
      const names = (await session.list()).map(({ name }) => String(name));
      const { tool, argumentsWith } = running.weakSpot;
      const called = names.includes(tool) ? tool : (names[0] ?? '');
      const { text, isError } = await session.call(called, argumentsWith(payload));
      expect(text).toMatch(expected);
      expect(isError).toBe(false);
    } finally {
      await running.close();
    }
  });

  test('ten seeds give ten listings', async () => {
    const listings = await Promise.all(
      VARIANTS.map(async (seed) => {
        const plan = await target.make({ seed, fixed: false });
        const tools = plan.tools({ session: 's', ordinal: 2, calls: 9, listings: 9 });
        await plan.close?.();
        const text = JSON.stringify(tools.map(({ definition }) => definition));
        return createHash('sha256').update(text).digest('hex');
      }),
    );
    expect(new Set(listings).size).toBe(VARIANTS.length);
  });
});
