import { expect, test } from 'vitest';
import { createMachine, stateIn } from 'xstate';
import { checkSystem } from '../../src/testing/check-system.ts';
import type { Driver } from '../../src/testing/driver.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { PathFailure } from '../../src/testing/path-failure.ts';
import { pathSetOf, pathsOf, withWaits } from '../../src/testing/paths-of.ts';
import { runPaths } from '../../src/testing/run-paths.ts';
import {
  counterMachine,
  doorMachine,
  doorPlan,
  richMachine,
  richPlan,
} from '../support/small-machines.ts';

const wild = createMachine({
  id: 'wild',
  initial: 'a',
  states: {
    a: { on: { 'mouse.*': 'b', 'mouse.any': 'd', '*': 'c' } },
    b: { on: { '*': 'a' } },
    c: { on: { BACK: 'a' } },
    d: { on: { '*': undefined, BACK: 'a' } },
  },
});

test('the engine agrees with its machine for as long as it is checked', async () => {
  const driver = () => engineDriver({ machine: richMachine });
  const sum = await checkSystem(richMachine, { ...richPlan, driver, timeMs: 1_500 });
  expect(sum.paths).toBeGreaterThan(5);
  expect(sum.faults).toBeGreaterThan(5);
});

test('a difference ends the check, shortened', async () => {
  const driver = (): Driver => {
    const engine = engineDriver({ machine: doorMachine });
    const elapse = async (): Promise<void> => undefined;
    return { ...engine, elapse };
  };
  const failure = await checkSystem(doorMachine, { ...doorPlan, driver }).catch((error) => error);
  expect(failure).toBeInstanceOf(PathFailure);
  expect((failure as PathFailure).path.steps.map(({ kind }) => kind)).toEqual(['event', 'delay']);
});

test('bad options of a check are refused by name', async () => {
  const driver = () => engineDriver({ machine: doorMachine });
  await expect(checkSystem(doorMachine, { driver, timeMs: 0 })).rejects.toThrow('timeMs is 0');
});

test('an event that only a wildcard takes is made for each wildcard', async () => {
  const set = pathSetOf(wild, { how: 'transitions' });
  expect(set.unreachedIds).toEqual([]);
  const types = set.paths.flatMap(({ steps }) => steps.map(({ event }) => event.type));
  expect(types).toEqual(expect.arrayContaining(['mouse.any', 'mouse.any_1']));
  await runPaths(set.paths, { machine: wild, driver: () => engineDriver({ machine: wild }) });
  const named = { 'mouse.click': [{ x: 1 }], OTHER: [{}] };
  const own = pathSetOf(wild, { how: 'transitions', events: named });
  expect(own.unreachedIds).toEqual([]);
  expect(JSON.stringify(own.paths)).not.toContain('mouse.any_1');
});

test('a wildcard takes the payloads that the plan gives it, or none', () => {
  const events = { 'mouse.*': [{ x: 7 }], '*': [], BACK: [], 'mouse.any': [] };
  const set = pathSetOf(wild, { how: 'transitions', events });
  expect(JSON.stringify(set.paths)).toContain('{"x":7,"type":"mouse.any_1"}');
  expect(set.unreachedIds).toContain('a|*|0');
  expect(set.bounds).toEqual([]);
});

test('what is unreached is unreachable, or not reached within bounds that are named', () => {
  const closed = createMachine({
    id: 'closed',
    initial: 'a',
    states: { a: { on: { GO: 'b' } }, b: {}, c: { on: { GO: 'a' } } },
  });
  expect(pathSetOf(closed, { how: 'transitions' })).toMatchObject({
    unreachedIds: ['c|GO|0'],
    bounds: [],
  });
  const events = { GO: [] };
  const endless = pathSetOf(counterMachine, { how: 'transitions', events, situationsMax: 50 });
  expect(endless).toMatchObject({ unreachedIds: ['counting|GO|0'], bounds: ['contexts'] });
});

test('a transition between the due times of two timers is reached', () => {
  const race = createMachine({
    id: 'race',
    type: 'parallel',
    states: {
      one: { initial: 'on', states: { on: { after: { 1000: 'off' } }, off: {} } },
      other: {
        initial: 'idle',
        states: {
          idle: { on: { GO: { guard: stateIn({ one: 'on' }), target: 'on' } } },
          on: {
            always: { guard: stateIn({ one: 'off' }), target: 'overtaken' },
            after: { 500: 'first' },
          },
          first: {},
          overtaken: {},
        },
      },
    },
  });
  expect(pathSetOf(race, { how: 'transitions' })).toMatchObject({
    unreachedIds: ['other.on||0'],
    bounds: ['time'],
  });
  const set = pathSetOf(race, { how: 'transitions', time: 'around' });
  expect(set.unreachedIds).toEqual([]);
  expect(set.paths.some(({ steps }) => steps.some(({ kind }) => kind === 'wait'))).toBe(true);
});

test('time stops 1 ms before and after due times, and goes past old timers', async () => {
  const paths = pathsOf(doorMachine, { ...doorPlan, how: 'transitions', time: 'around' });
  const waits = paths.flatMap(({ steps }) =>
    steps.flatMap((s) => (s.kind === 'wait' ? s.waitMs : [])),
  );
  expect(new Set(waits)).toEqual(new Set([9_999, 1, 10_000]));
  const driver = () => engineDriver({ machine: doorMachine });
  expect((await runPaths(paths, { machine: doorMachine, driver })).paths).toBe(paths.length);
  const blind = (): Driver => {
    const { wait: _wait, ...rest } = engineDriver({ machine: doorMachine });
    return rest;
  };
  const late = withWaits(doorMachine, pathsOf(doorMachine, { ...doorPlan, how: 'shortest' }));
  await expect(runPaths(late, { machine: doorMachine, driver: blind })).rejects.toThrow(
    'the path waits, but the driver has no wait()',
  );
});
