import { describe, expect, test } from 'vitest';
import { alertMachine } from '../../src/machines/alert.ts';
import { noticeMachine } from '../../src/machines/notice.ts';
import { webhookMachine } from '../../src/machines/webhook.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { withFaults } from '../../src/testing/faults.ts';
import { tryMutants } from '../../src/testing/mutants/catches.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { alertPlan } from '../../src/testing/plans/alert.ts';
import { noticePlan } from '../../src/testing/plans/notice.ts';
import { webhookPlan } from '../../src/testing/plans/webhook.ts';
import { runPaths } from '../../src/testing/run-paths.ts';

const CASES = [
  { kind: 'alert', machine: alertMachine, plan: alertPlan },
  { kind: 'notice', machine: noticeMachine, plan: noticePlan },
  { kind: 'webhook', machine: webhookMachine, plan: webhookPlan },
] as const;

/** Broken copies that behave like the good machine in every way, and why. */
const EQUIVALENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  notice: {},
  webhook: {
    'stray:removed|WEBHOOK.REMOVED': 'it enters the state anew, in which no time has passed',
  },
};

describe.each(CASES)('$kind', ({ machine, plan }) => {
  const set = pathSetOf(machine, { ...plan, how: 'transitions', ignored: 'all' });

  test('every transition is reached', () => {
    expect(set.unreachedIds).toEqual([]);
  });

  test('the engine stands where the model stands, over faults too', {
    timeout: 120_000,
  }, async () => {
    const paths = withFaults(set.paths, { where: 1, seed: 7 });
    const sum = await runPaths(paths, { machine, driver: () => engineDriver({ machine }) });
    expect(sum.paths).toBe(paths.length);
  });
});

// Alerts have a second writing of their rules instead, in alert-sequences.test.ts.
describe.each(CASES.filter(({ kind }) => kind !== 'alert'))('$kind', ({ kind, machine, plan }) => {
  test('every broken copy is caught', { timeout: 120_000 }, async () => {
    const set = pathSetOf(machine, { ...plan, how: 'transitions', ignored: 'all' });
    const { survivors, wronglyExcused } = await tryMutants(mutantsOf(machine), set.paths, {
      equivalent: EQUIVALENT[kind] ?? {},
    });
    expect([kind, survivors.map(({ id }) => id), wronglyExcused]).toEqual([kind, [], []]);
  });
});
