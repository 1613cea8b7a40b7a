import { describe, expect, test } from 'vitest';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { type Mutant, mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { catches, tryMutants } from '../../src/testing/mutants/try-mutants.ts';
import { pathsOf } from '../../src/testing/paths-of.ts';
import { auditInput } from '../../src/testing/plans/audit.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { doorMachine, doorPlan, richMachine } from '../support/small-machines.ts';

/** Those of every panel. */
const OF_PANELS = {
  'guard-dropped:deliberating|xstate.done.actor.*|0':
    'results come only from turns that run, and those are all awaited',
  'guard-dropped:deliberating|xstate.error.actor.*|0':
    'errors come only from turns that run, and those are all awaited',
};

const LATE_EVIDENCE =
  'the window has ended both sides, and nothing of an ended side passes the guard';

/** Broken copies that behave like the good machine in every way, and why. */
const EQUIVALENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  debate: OF_PANELS,
  council: OF_PANELS,
  arbitration: {
    ...OF_PANELS,
    'stray:frozen|EVIDENCE.GIVEN': LATE_EVIDENCE,
    'stray:admissibility|EVIDENCE.GIVEN': LATE_EVIDENCE,
    'stray:deliberating|EVIDENCE.GIVEN': LATE_EVIDENCE,
  },
  audit: {
    'stray:working|CANCEL': 'both states inside take it themselves',
    'stray:working|KILL': 'both states inside take it themselves',
  },
  payment: {
    'stray:refunding|REFUND.RETRY':
      'it leads to the state it stands in, and does not enter it anew',
  },
  job: {
    'stray:disputed|DISPUTE.OPENED': 'only a first dispute passes the guard, and there was one',
  },
  control: {
    'target:LIVE|CONTROL.CHANGED|1': '`declared` leads on by the label that was just kept, to OFF',
    'target:SHADOW|CONTROL.CHANGED|1':
      '`declared` leads on by the label that was just kept, to OFF',
  },
};

const DOOR_PATHS = pathsOf(doorMachine, { ...doorPlan, how: 'transitions', ignored: 'all' });

test('a machine is broken in every place and in every way', () => {
  expect(mutantsOf(doorMachine).map(({ id }) => id)).toEqual([
    'initial:',
    'removed:closed|OPEN|0',
    'target:closed|OPEN|0',
    'guard-dropped:closed|OPEN|0',
    'guard-negated:closed|OPEN|0',
    'action-dropped-0:closed|OPEN|0',
    'removed:closed|LOCK|0',
    'target:closed|LOCK|0',
    'stray:closed|CLOSE',
    'removed:open|CLOSE|0',
    'target:open|CLOSE|0',
    'removed:open|xstate.after.slam.door.open|0',
    'target:open|xstate.after.slam.door.open|0',
    'entry-dropped-0:open',
    'delay-dropped-slam:open',
    'stray:open|OPEN',
    'stray:open|LOCK',
    'removed:locked|xstate.done.actor.unlock|0',
    'target:locked|xstate.done.actor.unlock|0',
    'removed:locked|xstate.error.actor.unlock|0',
    'target:locked|xstate.error.actor.unlock|0',
    'action-dropped-0:locked|xstate.error.actor.unlock|0',
    'invoke-dropped-0:locked',
    'stray:locked|OPEN',
    'stray:locked|LOCK',
    'stray:locked|CLOSE',
    'final-dropped:broken',
    'delay-longer:slam',
  ]);
});

test('wildcards, numbered delays, ends of regions and eventless transitions are found too', () => {
  const removed = mutantsOf(richMachine).filter(({ id }) => id.startsWith('removed:'));
  expect(removed.map(({ id }) => id)).toEqual([
    'removed:|ALARM|0',
    'removed:working|PAUSE|0',
    'removed:working|xstate.done.state.rich.working|0',
    'removed:working.left.idle|TURN.*|0',
    'removed:working.left.turned|xstate.after.1000.rich.working.left.turned|0',
    'removed:working.right.idle|TURN.RIGHT|0',
    'removed:working.right.idle||0',
    'removed:paused|RESUME|0',
  ]);
});

test('every mutant has a name of its own and says what is broken', { timeout: 30_000 }, () => {
  for (const { machine } of MACHINES) {
    const mutants = mutantsOf(machine);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    for (const { about } of mutants) expect(about).toMatch(/^\S.*\.$/);
  }
});

test('the good machine is not caught, so a catch means something', async () => {
  const good: Mutant = { id: 'good', about: 'Nothing.', transitionIds: [], machine: doorMachine };
  expect(await catches(good, DOOR_PATHS)).toBeUndefined();
  expect(await tryMutants([good], DOOR_PATHS)).toMatchObject({ caught: {}, survivors: [good] });
});

test('paths that see too little let mutants live, and a wrong excuse is told', async () => {
  const [path] = DOOR_PATHS;
  const begin = path === undefined ? [] : [{ ...path, steps: [] }];
  const { caught, survivors } = await tryMutants(mutantsOf(doorMachine), begin);
  expect(Object.keys(caught)).toEqual(['initial:']);
  expect(survivors.length).toBe(mutantsOf(doorMachine).length - 1);
  const equivalent = { 'initial:': 'it makes no difference', 'no-such-mutant': 'nobody knows' };
  const report = await tryMutants(mutantsOf(doorMachine), DOOR_PATHS, { equivalent });
  expect(report.wronglyExcused).toEqual(['initial:', 'no-such-mutant']);
  // These three lead to the state that they stand in, and change nothing in it.
  expect(report.survivors.map(({ id }) => id)).toEqual([
    'stray:closed|CLOSE',
    'stray:open|OPEN',
    'stray:locked|LOCK',
  ]);
});

/** Machines whose paths catch every copy; those of `job` have a test of their own. */
const WHOLE = ['debate', 'council', 'arbitration', 'audit', 'payment', 'control'];
/** Inputs that are covered on their own, too: what no probe is left for, and what has one alone. */
const ALONE: Readonly<Record<string, readonly unknown[]>> = {
  audit: [
    { ...auditInput, requestsMax: 5 },
    { ...auditInput, probes: auditInput.probes.slice(0, 1) },
  ],
};

describe.each(MACHINES.filter(({ kind }) => WHOLE.includes(kind)))('$kind', ({ kind, machine }) => {
  test('every broken copy is caught but those that are no different', {
    timeout: 180_000,
  }, async () => {
    const plan = { ...findPlan(kind), ignored: 'all' } as const;
    const plans = [plan, ...(ALONE[kind] ?? []).map((input) => ({ ...plan, inputs: { input } }))];
    const paths = plans.flatMap((each) => pathsOf(machine, { ...each, how: 'transitions' }));
    const mutants = mutantsOf(machine);
    expect(mutants.length).toBeGreaterThan(40);
    const report = await tryMutants(mutants, paths, { equivalent: EQUIVALENT[kind] ?? {} });
    expect(report.survivors.map(({ id, about }) => `${id} ${about}`)).toEqual([]);
    expect(report.wronglyExcused).toEqual([]);
  });
});
