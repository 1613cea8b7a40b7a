import { describe, expect, test } from 'vitest';
import { cronRunMachine } from '../../src/machines/cron-run.ts';
import { databaseMachine } from '../../src/machines/database.ts';
import { deployMachine } from '../../src/machines/deploy.ts';
import { instanceMachine } from '../../src/machines/instance.ts';
import { serviceMachine } from '../../src/machines/service.ts';
import { tryMutants } from '../../src/testing/mutants/catches.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { cronRunPlan } from '../../src/testing/plans/cron-run.ts';
import { databasePlan } from '../../src/testing/plans/database.ts';
import { deployPlan } from '../../src/testing/plans/deploy.ts';
import { instancePlan } from '../../src/testing/plans/instance.ts';
import { servicePlan } from '../../src/testing/plans/service.ts';

const CASES = [
  { kind: 'service', machine: serviceMachine, plan: servicePlan },
  { kind: 'deploy', machine: deployMachine, plan: deployPlan },
  { kind: 'instance', machine: instanceMachine, plan: instancePlan },
  { kind: 'database', machine: databaseMachine, plan: databasePlan },
  { kind: 'cron-run', machine: cronRunMachine, plan: cronRunPlan },
] as const;

/** Broken copies that behave like the good machine, as far as paths look at it, and why. */
const EQUIVALENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  service: {
    'guard-dropped:created||0': 'nothing is begun where there is nothing to begin with',
    'guard-dropped:active|SERVICE.CHANGED|1': 'nothing waits where nothing is asked for',
    'guard-dropped:active|RUN.SUCCEEDED|0': 'a service of another type has no runs to keep',
    'guard-dropped:suspended|RUN.SUCCEEDED|0': 'a service of another type has no runs to keep',
    'stray:suspended|RESTART': 'it does not serve there, so its guard never holds',
    'stray:removed|RESTART': 'it does not serve there, so its guard never holds',
  },
  deploy: {
    'stray:update_in_progress.switching|INSTANCE.HEALTHY': 'all are healthy there already',
    'stray:live.switching|INSTANCE.HEALTHY': 'all are healthy there already',
    'stray:canceled|CANCEL': 'it enters the state anew, in which no time has passed',
  },
  instance: {
    'stray:draining|DRAIN': 'it enters the state anew, with the same work',
  },
  database: {
    'stray:removing|REMOVE': 'it enters the state anew, with the same work',
    'stray:available|CONFIG.CHANGED': 'both of its states take the event themselves',
    // What an effect is given is no state: test/machines/database.test.ts catches these.
    'reenter:available.reloading|CONFIG.CHANGED|0': 'the same states, and work of before',
    'reenter:recovery_in_progress|CONFIG.CHANGED|0': 'the same states, and work of before',
  },
};

describe.each(CASES)('$kind', ({ kind, machine, plan }) => {
  const set = pathSetOf(machine, { ...plan, how: 'transitions', ignored: 'all' });

  test('every broken copy is caught', { timeout: 600_000 }, async () => {
    const { survivors, wronglyExcused } = await tryMutants(mutantsOf(machine), set.paths, {
      equivalent: EQUIVALENT[kind] ?? {},
    });
    expect([kind, survivors.map(({ id }) => id), wronglyExcused]).toEqual([kind, [], []]);
  });
});
