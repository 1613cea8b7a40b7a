import { describe, expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { alertMachine } from '../../src/machines/alert/alert.ts';
import { noticeMachine } from '../../src/machines/notification/notice.ts';
import { webhookMachine } from '../../src/machines/notification/webhook.ts';
import type { WebhookInput } from '../../src/machines/notification/webhook-context.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { withFaults } from '../../src/testing/fault-copies.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { tryMutants } from '../../src/testing/mutants/try-mutants.ts';
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

/** Broken copies that no path sees: the test at the end does. */
const SEEN_BELOW = ['disabled', 'removed'].flatMap((state) =>
  ['WEBHOOK.PUBLIC', 'WEBHOOK.PASSED'].map((event) => `stray:${state}|${event}`),
);

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
    const copies = mutantsOf(machine).filter(({ id }) => !SEEN_BELOW.includes(id));
    const { survivors, wronglyExcused } = await tryMutants(copies, set.paths, {
      equivalent: EQUIVALENT[kind] ?? {},
    });
    expect([kind, survivors.map(({ id }) => id), wronglyExcused]).toEqual([kind, [], []]);
  });
});

test('a webhook that is off or removed does not move on in the feed', () => {
  const { both: input } = webhookPlan.inputs as { both: WebhookInput };
  const failed = { type: 'DELIVERY.ENDED', key: 'k', isTaken: false } as const;
  const removed = { type: 'WEBHOOK.REMOVED' } as const;
  for (const events of [[failed, failed], [removed]]) {
    let [state] = initialTransition(webhookMachine, input);
    for (const event of events) [state] = transition(webhookMachine, state, event);
    const before = state.context;
    const happened = { event: 'job.released', key: 'k', at: '', data: {}, subjects: ['*'] };
    [state] = transition(webhookMachine, state, { type: 'WEBHOOK.PUBLIC', seq: 900, ...happened });
    [state] = transition(webhookMachine, state, { type: 'WEBHOOK.PASSED', seq: 900 });
    expect(state.context).toEqual(before);
  }
});
