import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { Driver } from '../../src/testing/driver.ts';
import { withFaults } from '../../src/testing/fault-copies.ts';
import type { PathOptions, TestPath } from '../../src/testing/path.ts';
import { PathFailure } from '../../src/testing/path-failure.ts';
import { pathsOf } from '../../src/testing/paths-of.ts';
import { runPaths } from '../../src/testing/run-paths.ts';
import { seedFrom } from '../../src/testing/seeded-random.ts';

/** A till: coins and notes in any order, and a drawer that opens for a while. */
const till = setup({
  types: {} as {
    context: { coins: number; notes: number };
    events: { type: 'COIN' } | { type: 'NOTE' } | { type: 'OPEN' } | { type: 'SHUT' };
  },
  actions: {
    coin: assign({ coins: ({ context }) => context.coins + 1 }),
    note: assign({ notes: ({ context }) => context.notes + 1 }),
  },
}).createMachine({
  id: 'till',
  context: { coins: 0, notes: 0 },
  initial: 'shut',
  on: { COIN: { actions: 'coin' }, NOTE: { actions: 'note' } },
  states: {
    shut: { on: { OPEN: 'open' } },
    open: { on: { SHUT: 'shut' }, after: { 5000: 'shut' } },
  },
});

const RANDOM: PathOptions = { how: 'random', lengthMax: 40, countMax: 10 };

/** A till written by hand, which loses the third coin while the drawer is open. */
function brokenTill(o: { readonly losesAfterKill?: boolean } = {}): Driver {
  let [state, coins, notes] = ['shut', 0, 0];
  const take = { COIN: 1, NOTE: 0 } as Readonly<Record<string, number>>;
  return {
    start: async () => undefined,
    send: async ({ type }) => {
      const isLost = type === 'COIN' && coins === 2 && state === 'open' && !o.losesAfterKill;
      coins += isLost ? 0 : (take[type] ?? 0);
      if (type === 'NOTE') notes += 1;
      if (type === 'OPEN') state = 'open';
      if (type === 'SHUT') state = 'shut';
    },
    elapse: async () => {
      state = 'shut';
    },
    settle: async () => undefined,
    observe: async () => ({ value: state, status: 'active', facets: { coins, notes } }),
    faults: {
      kill_restart: async () => {
        if (o.losesAfterKill && coins > 1) coins -= 1;
      },
    },
    close: async () => undefined,
  };
}

test('a failing walk shrinks to the shortest one that still fails', async () => {
  const paths = pathsOf(till, RANDOM);
  const failure = await failureOf(paths, () => brokenTill());
  const types = failure.path.steps.map(({ event }) => event.type);
  expect(types.toSorted()).toEqual(['COIN', 'COIN', 'COIN', 'OPEN']);
  expect(types.at(-1)).toBe('COIN');
  expect(failure.message).toContain('again: STOA_PATHS_SEED=1');
  expect(failure.differences).toEqual([{ what: 'context.coins', expected: 3, seen: 2 }]);
});

test('faults that a failure does not need are left out, and those that it needs stay', async () => {
  const paths = withFaults(pathsOf(till, RANDOM), { where: 'everyStep', faults: ['kill_restart'] });
  const failure = await failureOf(paths, () => brokenTill({ losesAfterKill: true }));
  expect(failure.path.steps.map(({ event }) => event.type)).toEqual(['COIN', 'COIN']);
  expect(failure.path.steps.map(({ faults }) => faults)).toEqual([undefined, ['kill_restart']]);
  expect(failure.fault).toBe('kill_restart');
});

test('a bound of zero leaves the failure as it was found', async () => {
  const paths = pathsOf(till, RANDOM);
  const failure = await failureOf(paths, () => brokenTill(), 0);
  expect(paths).toContain(failure.path);
  expect(failure.stepsDone).toBeGreaterThan(4);
});

test('shrinking takes no more runs than it may', async () => {
  let runs = 0;
  const counted = () => {
    runs += 1;
    return brokenTill();
  };
  const paths = pathsOf(till, RANDOM);
  const found = await failureOf(paths, () => brokenTill(), 0);
  await failureOf([found.path], counted, 3);
  expect(runs).toBe(1 + 3);
});

test('a path that hung is not run again', async () => {
  let runs = 0;
  const hanging = (): Driver => {
    runs += 1;
    return { ...brokenTill(), send: () => new Promise(() => undefined) };
  };
  const options = { machine: till, driver: hanging, timeoutMs: 30 };
  await expect(runPaths(pathsOf(till, RANDOM), options)).rejects.toThrow('within 30 ms');
  expect(runs).toBe(1);
});

test('the seed comes from the variable when it is set, and nonsense in it is refused', () => {
  expect(seedFrom({}, 5)).toBe(5);
  expect(seedFrom({ STOA_PATHS_SEED: '' }, 5)).toBe(5);
  expect(seedFrom({ STOA_PATHS_SEED: '77' }, 5)).toBe(77);
  expect(() => seedFrom({ STOA_PATHS_SEED: 'x' }, 5)).toThrow(
    'STOA_PATHS_SEED is "x"; it must be a whole number from 0',
  );
});

async function failureOf(paths: readonly TestPath[], driver: () => Driver, shrinkRunsMax?: number) {
  const options = {
    machine: till,
    driver,
    ...(shrinkRunsMax === undefined ? {} : { shrinkRunsMax }),
  };
  const thrown: unknown = await runPaths(paths, options).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(PathFailure);
  return thrown as PathFailure;
}
