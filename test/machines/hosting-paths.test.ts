import { describe, expect, test } from 'vitest';
import { cronRunMachine } from '../../src/machines/hosting/cron-run.ts';
import { databaseMachine } from '../../src/machines/hosting/database.ts';
import { deployMachine } from '../../src/machines/hosting/deploy/deploy.ts';
import { instanceMachine } from '../../src/machines/hosting/instance.ts';
import { serviceMachine } from '../../src/machines/hosting/service/service.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { withFaults } from '../../src/testing/fault-copies.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { cronRunPlan } from '../../src/testing/plans/cron-run.ts';
import { databasePlan } from '../../src/testing/plans/database.ts';
import { deployPlan } from '../../src/testing/plans/deploy.ts';
import { instancePlan } from '../../src/testing/plans/instance.ts';
import { servicePlan } from '../../src/testing/plans/service.ts';
import { runPaths } from '../../src/testing/run-paths.ts';
import { proves } from '../support/proves.ts';

const CASES = [
  { kind: 'service', machine: serviceMachine, plan: servicePlan },
  { kind: 'deploy', machine: deployMachine, plan: deployPlan },
  { kind: 'instance', machine: instanceMachine, plan: instancePlan },
  { kind: 'database', machine: databaseMachine, plan: databasePlan },
  { kind: 'cron-run', machine: cronRunMachine, plan: cronRunPlan },
] as const;

describe.each(CASES)('$kind', ({ machine, plan }) => {
  const set = pathSetOf(machine, { ...plan, how: 'transitions', ignored: 'all' });

  test('every transition is reached, and nothing poisons it', () => {
    proves('H3.s1');
    expect(set.unreachedIds).toEqual([]);
    expect(set.poisons).toEqual([]);
  });

  test('the engine stands where the model stands, over faults too', {
    timeout: 120_000,
  }, async () => {
    const paths = withFaults(set.paths, { where: 1, seed: 7 });
    const sum = await runPaths(paths, { machine, driver: () => engineDriver({ machine }) });
    expect(sum.paths).toBe(paths.length);
  });
});
