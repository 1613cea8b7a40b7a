import { expect, test } from 'vitest';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { jobMachine } from '../../src/machines/escrow/job.ts';
import { paymentMachine } from '../../src/machines/payment/payment.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { FAULTS } from '../../src/testing/fault-copies.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { tryMutants } from '../../src/testing/mutants/try-mutants.ts';
import type { PathOptions, TestPath } from '../../src/testing/path.ts';
import { pathFrom, pathSetOf, pathsOf } from '../../src/testing/paths-of.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { runPaths } from '../../src/testing/run-paths.ts';
import {
  clockMachine,
  counterMachine,
  doorMachine,
  doorPlan,
  noisyMachine,
  richMachine,
  richPlan,
} from '../support/small-machines.ts';

const HOWS = ['transitions', 'shortest', 'simple', 'random'] as const;

test('paths through every transition are few, and hold delays and both ends of effects', () => {
  const set = pathSetOf(doorMachine, { ...doorPlan, how: 'transitions' });
  expect(set.unreachedIds).toEqual([]);
  expect(set.transitionIds).toHaveLength(6);
  expect(set.paths.map(wordsOf)).toEqual([
    'OPEN(ignored) OPEN CLOSE LOCK done:unlock OPEN after:10000 LOCK error:unlock → broken',
  ]);
});

test('every step says what was taken, and where the model stands before and after it', () => {
  const [path] = pathsOf(doorMachine, { ...doorPlan, how: 'transitions', ignored: 'none' });
  expect(path?.begin.after).toMatchObject({ value: 'closed', status: 'active', timers: [] });
  expect(path?.steps[0]).toMatchObject({
    kind: 'event',
    event: { type: 'OPEN', by: 'ada' },
    transitionIds: ['closed|OPEN|0'],
    stateIds: { before: ['closed'], after: ['open'] },
    after: {
      context: { tries: 0, by: 'ada' },
      timers: [{ timerId: 'xstate.after.slam.door.open', dueInMs: 10_000 }],
      messages: [{ type: 'bell' }],
    },
  });
  expect(path?.steps[2]?.after.effects).toEqual([
    { childId: 'unlock', src: 'unlock', input: undefined },
  ]);
  expect(path?.stateIds).toEqual(['broken']);
});

test.each(HOWS)('the same options give the same paths: %s', (how) => {
  const make = () => JSON.stringify(pathsOf(doorMachine, { ...doorPlan, how, seed: 5 }));
  expect(make()).toBe(make());
});

test('the shortest paths end in every state, and none begins with another', () => {
  const paths = pathsOf(doorMachine, { ...doorPlan, how: 'shortest' });
  expect(paths.map(wordsOf)).toEqual(['OPEN → open', 'LOCK error:unlock → broken']);
});

test('simple paths repeat no situation', () => {
  const paths = pathsOf(doorMachine, { ...doorPlan, how: 'simple' });
  expect(paths.map(wordsOf)).toEqual(['OPEN → open', 'LOCK error:unlock → broken']);
  for (const { begin, steps } of pathsOf(paymentMachine, {
    ...findPlan('payment'),
    how: 'simple',
  })) {
    const values = [begin, ...steps].map(({ after }) => JSON.stringify(after.value));
    expect(new Set(values).size).toBe(values.length);
  }
});

test('random walks follow their seed and no other', () => {
  const walk = (seed: number) => pathsOf(doorMachine, { ...doorPlan, how: 'random', seed });
  expect(walk(1).map(wordsOf)).not.toEqual(walk(2).map(wordsOf));
  expect(walk(3)).toHaveLength(20);
  expect(walk(3)[0]?.seed).toBe(3);
});

test('what cannot be reached is listed by id', () => {
  const set = pathSetOf(doorMachine, { how: 'transitions', events: { OPEN: [{ by: 'eve' }] } });
  expect(set.unreachedIds).toEqual([
    'closed|OPEN|0',
    'open|CLOSE|0',
    'open|xstate.after.slam.door.open|0',
  ]);
});

test('a context without a bound hits a bound that the error names, unless facets bound it', () => {
  const o: PathOptions = { how: 'transitions', situationsMax: 100 };
  // Without facets all totals count as the same at first; then they are kept apart.
  expect(pathSetOf(counterMachine, o).unreachedIds).toEqual([]);
  expect(pathSetOf(counterMachine, { ...o, situationsMax: 7 })).toMatchObject({
    unreachedIds: ['counting|GO|0'],
    bounds: ['contexts'],
  });
  const facets = ({ total }: { readonly total: number }) => total;
  expect(() => pathSetOf(counterMachine, { ...o, facets, events: { GO: [] } })).toThrow(
    expect.objectContaining({
      code: 'PATHS_BOUND',
      data: expect.objectContaining({ bound: 'situationsMax', limit: 100 }),
    }),
  );
  // What is wanted is found long before the bound.
  const found = pathSetOf(counterMachine, { ...o, facets });
  expect(found.unreachedIds).toEqual([]);
  const capped = pathSetOf(counterMachine, {
    ...o,
    facets: ({ total }: { readonly total: number }) => Math.min(total, 9),
  });
  expect(capped.unreachedIds).toEqual([]);
});

test('too many simple paths are refused by name', () => {
  const o = { ...findPlan('job'), how: 'simple', countMax: 5 } as const;
  expect(() => pathsOf(jobMachine, o)).toThrow(/more than 5 paths \(countMax\)/);
});

test.each([
  [{ how: 'fastest' as never }, /how is "fastest"; it must be one of transitions/],
  [{ how: 'random', seed: -1 } as const, /seed is -1/],
  [{ how: 'random', lengthMax: 0 } as const, /lengthMax is 0/],
  [{ how: 'simple', countMax: 1.5 } as const, /countMax is 1.5/],
])('options that mean nothing are refused: %j', (options, words) => {
  expect(() => pathsOf(doorMachine, options)).toThrow(words);
});

test('timers fire in the order of their due times, and those of one moment together', () => {
  const [path, ...others] = pathsOf(clockMachine, { how: 'transitions' });
  expect(others).toEqual([]);
  expect(path?.steps.map((step) => step.transitionIds.length)).toEqual([1, 2]);
  expect(path?.steps.map((step) => step.kind === 'delay' && step.delayMs)).toEqual([1_000, 1_000]);
});

test('a machine with actions of its own has paths: none of them is run', () => {
  const set = pathSetOf(noisyMachine, { how: 'transitions' });
  expect(set.unreachedIds).toEqual([]);
  // Nothing handles the error of its effect: that is no path, and it is told.
  expect(set.poisons).toEqual([
    expect.stringMatching(/^loud: xstate.error.actor.child: child failed/),
  ]);
});

test('ignored events are none, those that a guard refuses, or all that a state does not name', () => {
  const count = (ignored: 'none' | 'guarded' | 'all') =>
    pathsOf(doorMachine, { ...doorPlan, how: 'transitions', ignored })
      .flatMap(({ steps }) => steps)
      .filter(({ transitionIds }) => transitionIds.length === 0)
      .map(({ event, stateIds }) => `${stateIds.before.join()} ${event.type}`);
  expect(count('none')).toEqual([]);
  expect(count('guarded')).toEqual(['closed OPEN']);
  expect(new Set(count('all'))).toEqual(
    new Set([
      'closed OPEN',
      'closed CLOSE',
      'open OPEN',
      'open LOCK',
      'locked OPEN',
      'locked CLOSE',
      'locked LOCK',
    ]),
  );
});

test('history, wildcards, raised delays and ends of regions are walked as they are', {
  timeout: 30_000,
}, async () => {
  const set = pathSetOf(richMachine, { ...richPlan, how: 'transitions', ignored: 'all' });
  expect(set.unreachedIds).toEqual([]);
  const kinds = set.paths.flatMap(({ steps }) => steps.map((step) => step.kind));
  expect(new Set(kinds)).toEqual(new Set(['event', 'delay']));
  const driver = () => engineDriver({ machine: richMachine });
  await runPaths(set.paths, { machine: richMachine, driver, faults: FAULTS });
  const equivalent = {
    'reenter:|ALARM|0': 'it leads to an end, which is the same by either way',
    'stray:paused|PAUSE': 'it leads to the state that it stands in, and changes nothing',
  };
  // A history that remembers nothing but the beginning is no test of it: more ways are needed.
  const paths = [...set.paths, ...pathsOf(richMachine, { ...richPlan, how: 'simple' })];
  const report = await tryMutants(mutantsOf(richMachine), paths, { equivalent });
  expect(report.survivors.map(({ id }) => id)).toEqual([]);
  expect(report.wronglyExcused).toEqual([]);
});

test('no path goes on where it is to stop, and none is longer than it may be', () => {
  const stopWhen = ({ value }: { readonly value: unknown }) => value === 'locked';
  const o = { ...doorPlan, stopWhen, ignored: 'none' } as const;
  expect(pathsOf(doorMachine, { ...o, how: 'transitions' }).map(wordsOf)).toEqual([
    'OPEN CLOSE LOCK → locked',
    'OPEN after:10000 → closed',
  ]);
  const walks = pathsOf(doorMachine, { ...doorPlan, how: 'random', lengthMax: 3 });
  expect(Math.max(...walks.map(({ steps }) => steps.length))).toBe(3);
  const short = pathsOf(jobMachine, { ...findPlan('job'), how: 'simple', lengthMax: 4 });
  expect(Math.max(...short.map(({ steps }) => steps.length))).toBe(4);
});

test('several inputs make one set, whose paths bear the name of theirs', () => {
  const { paths } = pathSetOf(counterMachine, {
    how: 'shortest',
    inputs: { first: 1, second: 2 },
    facets: ({ total }: { readonly total: number }) => Math.min(total, 7),
  });
  expect(paths.map(({ id, inputName, input }) => [id, inputName, input])).toEqual([
    ['first-shortest-1', 'first', 1],
    ['second-shortest-1', 'second', 2],
  ]);
  expect(paths[0]?.steps).toHaveLength(8);
});

test('a saved path is the path, and one that the machine does not have is refused', () => {
  const steps = [{ event: { type: 'LOCK' } }, { effect: 'unlock', src: 'unlock', output: null }];
  const path = pathFrom(doorMachine, { id: 'saved', steps });
  expect(wordsOf(path)).toBe('LOCK done:unlock → closed');
  expect(() => pathFrom(doorMachine, { id: 'wrong', steps: steps.slice(1) })).toThrow(
    expect.objectContaining({ code: 'PATH_INVALID', message: 'the effect unlock is not running' }),
  );
  expect(() => pathFrom(doorMachine, { id: 'early', steps: [{ delay: 'slam' }] })).toThrow(
    'the next timer is none, not slam',
  );
});

test.each(MACHINES)(
  'every transition of $kind is reached',
  { timeout: 30_000 },
  ({ kind, machine }) => {
    const set = pathSetOf(machine, { ...findPlan(kind), how: 'transitions' });
    expect(set.unreachedIds).toEqual([]);
    expect(set.poisons).toEqual([]);
    expect(set.paths.length).toBeLessThan(set.transitionIds.length);
  },
);

function wordsOf({ steps, stateIds }: TestPath): string {
  const words = steps.map((step) => {
    if (step.transitionIds.length === 0) return `${step.event.type}(ignored)`;
    if (step.kind === 'event') return step.event.type;
    if (step.kind === 'delay') return `after:${step.delayMs}`;
    if (step.kind === 'wait') return `wait:${step.waitMs}`;
    return `${step.kind === 'effect_done' ? 'done' : 'error'}:${step.childId}`;
  });
  return `${words.join(' ')} → ${stateIds.join(' ')}`;
}
