import { describe, expect, test } from 'vitest';
import { allTargets } from './all-targets.ts';
import { tryOut } from './proven-targets.ts';
import { startTarget } from './start-target.ts';
import { frontSteps } from './steps/front-steps.ts';

const SEEDS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Faults of the front that can be looked for on every target. */
const FRONT = [
  'foreign-origin',
  'foreign-host',
  'session-fixation',
  'session-guessing',
  'unlimited-burst',
];

describe.each(allTargets.map((target) => [target.name, target] as const))('%s', (name, target) => {
  test.each(SEEDS)('has its fault, and its twin has not, with seed %i', async (seed) => {
    const faulty = await tryOut(target, seed, false);
    const fixed = await tryOut(target, seed, true);
    expect(faulty.isShown).toBe(true);
    expect(fixed).toEqual({ isShown: false, effects: [] });
  });

  test.each(FRONT.filter((other) => other !== name))('has no fault of %s', async (other) => {
    for (const fixed of [false, true]) {
      const running = await startTarget(target, { seed: 4, fixed });
      try {
        expect(await frontSteps[other]?.(running)).toBe(false);
      } finally {
        await running.close();
      }
    }
  });
});
