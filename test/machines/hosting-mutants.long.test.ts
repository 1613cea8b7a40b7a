import { describe, expect, test } from 'vitest';
import { cronRunMachine } from '../../src/machines/hosting/cron-run.ts';
import { databaseMachine } from '../../src/machines/hosting/database.ts';
import { deployMachine } from '../../src/machines/hosting/deploy/deploy.ts';
import { instanceMachine } from '../../src/machines/hosting/instance.ts';
import { serviceMachine } from '../../src/machines/hosting/service/service.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { tryMutants } from '../../src/testing/mutants/try-mutants.ts';
import { pathsOf } from '../../src/testing/paths-of.ts';
import { cronRunPlan } from '../../src/testing/plans/cron-run.ts';
import { databasePlan } from '../../src/testing/plans/database.ts';
import { deployPlan } from '../../src/testing/plans/deploy.ts';
import { instancePlan } from '../../src/testing/plans/instance.ts';
import { crashLoopPlan, servicePlan } from '../../src/testing/plans/service.ts';

const CASES = [
  { kind: 'service', machine: serviceMachine, plans: [servicePlan, crashLoopPlan] },
  { kind: 'deploy', machine: deployMachine, plans: [deployPlan] },
  { kind: 'instance', machine: instanceMachine, plans: [instancePlan] },
  { kind: 'database', machine: databaseMachine, plans: [databasePlan] },
  { kind: 'cron-run', machine: cronRunMachine, plans: [cronRunPlan] },
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
  },
  instance: {
    'stray:draining|DRAIN': 'it enters the state anew, with the same work',
  },
  database: {
    'stray:removing|REMOVE': 'it enters the state anew, with the same work',
    'stray:available|CONFIG.CHANGED': 'both of its states take the event themselves',
    // What an effect is given is no state: test/machines/hosting/database.test.ts catches these.
    'reenter:available.reloading|CONFIG.CHANGED|0': 'the same states, and work of before',
    'reenter:recovery_in_progress|CONFIG.CHANGED|0': 'the same states, and work of before',
  },
};

describe.each(CASES)('$kind', ({ kind, machine, plans }) => {
  const paths = plans.flatMap((plan) =>
    pathsOf(machine, { ...plan, how: 'transitions', ignored: 'all' }),
  );

  test('every broken copy is caught', { timeout: 600_000 }, async () => {
    const { survivors, wronglyExcused } = await tryMutants(mutantsOf(machine), paths, {
      equivalent: EQUIVALENT[kind] ?? {},
    });
    expect([kind, survivors.map(({ id }) => id), wronglyExcused]).toEqual([kind, [], []]);
  });
});
