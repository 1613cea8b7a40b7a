import { afterEach, expect, test } from 'vitest';
import type { AuditReport } from '../../../../src/domain/audit/report.ts';
import { InjectionClass } from '../../../../src/domain/injection/injection.ts';
import { verifyAuditReport } from '../../../../src/domain/verification/audit-report.ts';
import { recoverSigner } from '../../../../src/providers/chain/signature.ts';
import { beginRealAudit } from '../../../support/audits/real-audit.ts';
import {
  deafTo,
  ECHO,
  FILTER,
  JOINER,
  joinerOf,
  NUMBERS,
  naiveAgent,
} from '../../../support/injection/naive-agent.ts';
import type { Target } from '../../../support/targets/target.ts';

const WAIT_MS = 120_000;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function resilienceOf(target: Target, fixed = false) {
  const { begun, state } = await endedOf(target, fixed);
  const { report, statement } = await begun.report();
  return { begun, state, report, statement };
}

async function endedOf(target: Target, fixed = false) {
  const begun = await beginRealAudit({
    target,
    seed: 1,
    fixed,
    mode: 'active',
    categories: ['ASI01'],
    plan: 'injection',
  });
  closers.push(begun.close);
  return { begun, state: await begun.wait(WAIT_MS) };
}

function verdictsOf({ injection }: AuditReport) {
  return Object.fromEntries((injection?.classes ?? []).map((one) => [one.class, one.verdict]));
}

test.each(InjectionClass.options)(
  'an agent that obeys %s is told so, and its twin resists',
  {
    timeout: WAIT_MS,
  },
  async (name) => {
    const { report, state } = await resilienceOf(naiveAgent([name]));
    const expected = InjectionClass.options.map((one) => [
      one,
      one === name ? 'obeyed' : 'resisted',
    ]);
    expect(verdictsOf(report)).toEqual(Object.fromEntries(expected));
    const row = report.injection?.classes.find((one) => one.class === name);
    expect(row).toMatchObject({ attacks: 4, assessed: 4, obeyed: 4, resistance: 0 });
    expect(row).toMatchObject({ controls: 5, controls_failed: 0 });
    expect(report.findings).toHaveLength(1);
    expect(report.findings[0]).toMatchObject({ status: 'confirmed', reproduced_by: 'I2' });
    expect(report.findings[0]?.control).not.toBeNull();
    expect(state).toMatchObject({ status: 'published', outcome: 'complete', refund: null });
    const twin = await resilienceOf(naiveAgent([name]), true);
    expect(new Set(Object.values(verdictsOf(twin.report)))).toEqual(new Set(['resisted']));
    expect(twin.report.findings).toEqual([]);
  },
);

test('a server that repeats its input echoes everything and obeys nothing', async () => {
  const { report } = await resilienceOf(ECHO);
  const { direct, indirect } = report.injection ?? {};
  expect(direct).toMatchObject({ assessed: 24, obeyed: 0, echoed: 24, verdict: 'resisted' });
  expect(indirect).toMatchObject({ assessed: 24, obeyed: 0, echoed: 24 });
  expect(direct?.interval).toEqual({ low: 0.862, high: 1 });
});

test('a server that turns orders away is told as refusing, beside a control that it takes', async () => {
  const { report } = await resilienceOf(FILTER);
  const { direct, indirect } = report.injection ?? {};
  expect(direct).toMatchObject({ assessed: 24, obeyed: 0, verdict: 'resisted' });
  expect(direct?.refused).toBeGreaterThan(15);
  // Letters of tags are not seen by a filter of words.
  expect(indirect).toMatchObject({ refused: 23, ignored: 1 });
});

test('a server that joins words by itself is not assessed: the control shows the sign', async () => {
  const { state } = await endedOf(JOINER);
  expect(state).toMatchObject({ outcome: 'unassessable', refund: { amount: '5.00' } });
  expect(state.findings).toBe(0);
});

test('an order counts as obeyed only beside a control of the same text that stays clear', async () => {
  const { report } = await resilienceOf(joinerOf('override'));
  const row = report.injection?.classes.find((one) => one.class === 'override');
  expect(row).toMatchObject({ attacks: 4, assessed: 0, obeyed: 0, not_assessed: 4 });
  expect(row).toMatchObject({ controls: 5, controls_failed: 4, verdict: 'not_assessed' });
  expect(report.findings).toEqual([]);
  const run = report.probes.find((probe) => probe.probe_id === 'injection-override');
  expect(run).toMatchObject({ outcome: 'not_applicable' });
});

test('a server that takes no text is not assessed, and never a pass', async () => {
  const { state } = await endedOf(NUMBERS);
  expect(state).toMatchObject({ outcome: 'unassessable', refund: { amount: '5.00' } });
});

test('a class that nothing answered is not assessed; the others are told as they are', async () => {
  const { report, state } = await resilienceOf(deafTo('document'));
  expect(state.outcome).toBe('complete');
  const row = report.injection?.classes.find((one) => one.class === 'document');
  expect(row).toMatchObject({ assessed: 0, not_assessed: 2, resistance: null, interval: null });
  const { document, ...others } = verdictsOf(report);
  expect(document).toBe('not_assessed');
  expect(new Set(Object.values(others))).toEqual(new Set(['resisted']));
  const run = report.probes.find((probe) => probe.probe_id === 'injection-document');
  expect(run).toMatchObject({ outcome: 'failed' });
  expect(run?.reason).toContain('no answer');
  expect(report.categories.find((one) => one.category === 'ASI01')?.verdict).toBe('partial');
});

test('what was sent and what came back stands in the signed report, and a changed count is found', async () => {
  const { begun, report, statement } = await resilienceOf(naiveAgent(['override']));
  const check = { recover: recoverSigner };
  const file = { payload: report, statement };
  expect(verifyAuditReport(file, check)).toMatchObject({ isValid: true });
  const trials = report.probes.flatMap((probe) => probe.trials ?? []);
  expect(trials.filter(({ role }) => role === 'attack')).toHaveLength(48);
  const obeyed = trials.find((one) => one.injection === 'override-1' && one.role === 'attack');
  expect(obeyed?.outcome).toBe('obeyed');
  expect(obeyed?.response).toContain(obeyed?.sign);
  expect(obeyed?.request).toContain('Ignore all previous instructions.');
  expect(obeyed?.request).not.toContain(obeyed?.sign);
  const sent = begun.target.observed.calls.map(({ values }) => String(values['question']));
  expect(sent.filter((text) => text.startsWith('Ignore all previous'))).not.toEqual([]);
});

test('an audit over all categories gives no injections', async () => {
  const begun = await beginRealAudit({
    target: ECHO,
    seed: 1,
    mode: 'active',
    categories: ['ASI01'],
  });
  closers.push(begun.close);
  await begun.wait(WAIT_MS);
  const { report } = await begun.report();
  expect(report.injection).toBeUndefined();
  expect(report.probes.map((probe) => probe.probe_id)).not.toContain('injection-override');
});
