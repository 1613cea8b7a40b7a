import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { Coverage, coverageText } from '../../src/testing/coverage.ts';
import type { Driver } from '../../src/testing/driver.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { FAULTS } from '../../src/testing/fault-copies.ts';
import type { TestPath } from '../../src/testing/path.ts';
import { PathFailure } from '../../src/testing/path-failure.ts';
import { pathFrom, pathsOf } from '../../src/testing/paths-of.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { runPaths } from '../../src/testing/run-paths.ts';
import { lmdbShelf } from '../support/shelf.ts';
import { doorMachine } from '../support/small-machines.ts';

const WAY: TestPath = pathFrom(doorMachine, {
  id: 'way',
  steps: [
    { event: { type: 'OPEN', by: 'ada' } },
    { delay: 'xstate.after.slam.door.open' },
    { event: { type: 'LOCK' } },
    { effect: 'unlock', src: 'unlock', error: { name: 'Error', code: 'JAM', message: 'jammed' } },
  ],
});

test.each(MACHINES)(
  'the engine in memory stays with the model of $kind, with every fault after every step',
  { timeout: 340_000 },
  async ({ kind, machine }) => {
    const paths = pathsOf(machine, { ...findPlan(kind), how: 'transitions', ignored: 'all' });
    const coverage = new Coverage({ machine, title: 'all' });
    const driver = () => engineDriver({ machine });
    const sum = await runPaths(paths, { machine, driver, faults: FAULTS, coverage });
    expect(sum.faults).toBeGreaterThan(sum.steps);
    expect(coverageText(coverage.report(0))).not.toMatch(/not (entered|taken)/);
  },
);

test('the engine on disk stays with the model, killed and opened again after every step', {
  timeout: 340_000,
}, async () => {
  for (const { kind, machine } of MACHINES) {
    const paths = pathsOf(machine, { ...findPlan(kind), how: 'shortest' }).slice(0, 2);
    for (const path of paths) {
      const shelf = lmdbShelf();
      const driver = engineDriver({ machine, openStore: () => shelf.open() });
      const run = await runPath(path, driver, { faults: FAULTS });
      expect(run.faults).toBeGreaterThan(run.steps);
      await shelf.remove();
    }
  }
});

test('a run tells its steps and faults, and the driver is closed', async () => {
  let closed = 0;
  const driver = changed((engine) => ({
    close: async () => {
      closed += 1;
      await engine.close();
    },
  }));
  expect(await runPath(WAY, driver, { faults: ['kill_restart'] })).toEqual({ steps: 4, faults: 5 });
  expect(closed).toBe(1);
});

test('the report is the way to the difference and what differs', async () => {
  const driver = changed((engine) => ({
    observe: async () => {
      const seen = await engine.observe();
      return seen.value === 'locked' ? { ...seen, value: 'closed', effects: [] } : seen;
    },
  }));
  const failure = await failureOf(WAY, driver);
  expect(failure.stepsDone).toBe(3);
  expect(failure.message.split('\n')).toEqual([
    'door, path way: after step 3 of 4 the system state differs from the model',
    '  0 start                  → closed',
    '  1 OPEN {"by":"ada"}      → open',
    '  2 after 10000 ms (slam)  → closed',
    '  3 LOCK                   → locked',
    '  state: expected "locked", seen "closed"',
    '  effects: expected ["unlock"], seen []',
  ]);
});

test.each([
  ['status', { status: 'done' }],
  ['timers', { timers: ['xstate.after.other'] }],
  ['timers due in ms', { dueInMs: { 'xstate.after.slam.door.open': 9_999 } }],
  ['effects', { effects: ['unlock'] }],
  ['context.by', { context: { tries: 0, by: 'eve' } }],
  ['context.more', { context: { tries: 0, by: 'ada', more: 1 } }],
  ['context.tries', { context: { by: 'ada' } }],
  ['context.tries', { facets: { tries: 1 } }],
  ['messages', { messages: [] }],
])('a difference of %s is seen: %j', async (what, other) => {
  const driver = changed((engine) => ({
    observe: async () => {
      const seen = await engine.observe();
      return seen.value === 'open' ? { ...seen, ...other } : seen;
    },
  }));
  const failure = await failureOf(WAY, driver);
  expect(failure.stepsDone).toBe(1);
  expect(failure.differences.map((each) => each.what)).toEqual([what]);
});

test('what a driver cannot see is not compared', async () => {
  const driver = changed((engine) => ({
    observe: async () => {
      const { value, status } = await engine.observe();
      return { value, status, facets: {} };
    },
  }));
  expect((await runPath(WAY, driver)).steps).toBe(4);
});

test('a driver that fails is a failure of the path, with its cause', async () => {
  const driver = changed(() => ({
    settle: async () => {
      throw new Error('no such button');
    },
    close: async () => {
      throw new Error('must not hide the first failure');
    },
  }));
  const failure = await failureOf(WAY, driver);
  expect(failure.stepsDone).toBe(4);
  expect(failure.message).toContain('the driver failed: no such button');
  expect(failure.cause).toMatchObject({ message: 'no such button' });
});

test('a driver that hangs fails the path at the step where it hangs', async () => {
  const hang = () => new Promise<never>(() => undefined);
  const driver = changed(() => ({ elapse: hang, close: hang }));
  const thrown: unknown = await runPath(WAY, driver, { timeoutMs: 50 }).catch((error) => error);
  expect(thrown).toMatchObject({
    stepsDone: 2,
    cause: { data: { bound: 'timeoutMs', limit: 50 } },
  });
});

test('a driver that cannot be closed fails a path that went well', async () => {
  const driver = changed(() => ({
    close: async () => {
      throw new Error('still open');
    },
  }));
  await expect(runPath(WAY, driver)).rejects.toThrow('still open');
});

test('a machine that an engine cannot keep fails at the start, and says why', async () => {
  const machine = createMachine({ id: 'two\nlines' });
  const path = pathFrom(machine, { id: 'start', steps: [] });
  const failure = await failureOf(path, engineDriver({ machine }));
  expect(failure.stepsDone).toBe(0);
  expect(failure.cause).toMatchObject({ code: 'DEFINITION_INVALID' });
});

/** The engine driver of the door with some of its parts changed. */
function changed(change: (engine: Driver) => Partial<Driver>): Driver {
  const engine = engineDriver({ machine: doorMachine });
  return { ...engine, ...change(engine) };
}

async function failureOf(path: TestPath, driver: Driver): Promise<PathFailure> {
  const thrown: unknown = await runPath(path, driver).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(PathFailure);
  return thrown as PathFailure;
}
