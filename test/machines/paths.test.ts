import { expect, test } from 'vitest';
import { controlMachine } from '../../src/machines/control/control.ts';
import { jobMachine } from '../../src/machines/escrow/job.ts';
import { paymentMachine } from '../../src/machines/payment/payment.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import type { PathOptions } from '../../src/testing/path.ts';
import { pathsOf } from '../../src/testing/paths-of.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { runPaths } from '../../src/testing/run-paths.ts';

const MACHINES = { payment: paymentMachine, job: jobMachine, control: controlMachine };
/** Typed by hand: fewer paths would be a hole that nobody sees. */
const LEAST = { payment: 50, job: 500, control: 6 };

test.each(['payment', 'job', 'control'] as const)(
  'the engine stands where the model stands on simple paths of %s',
  { timeout: 300_000 },
  async (kind) => {
    const machine = MACHINES[kind];
    // A job has thousands of ways; here state, timers and effects alone tell situations apart.
    const coarse: Partial<PathOptions> = kind === 'job' ? { facets: () => null, lengthMax: 4 } : {};
    const paths = pathsOf(machine, { ...findPlan(kind), ...coarse, how: 'simple' });
    expect(paths.length).toBeGreaterThanOrEqual(LEAST[kind]);
    const sum = await runPaths(paths, { machine, driver: () => engineDriver({ machine }) });
    expect(sum.paths).toBe(paths.length);
  },
);
