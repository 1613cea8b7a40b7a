import { expect, test } from 'vitest';
import { cancelAudit } from '../../../src/actors/audits/audit.ts';
import { AppError } from '../../../src/domain/error.ts';
import { beginRealAudit, type RealAudit } from '../../support/audits/real-audit.ts';
import { codeEvaluation } from '../../support/targets/faults/code-evaluation.ts';
import { misbehavingTargets } from '../../support/targets/misbehaving/misbehaving-targets.ts';

const calculator: RealAudit = {
  target: codeEvaluation,
  seed: 5,
  mode: 'active',
  categories: ['ASI01', 'ASI05', 'ASI06'],
};

test.each([
  [false, 'fail'],
  [true, 'pass'],
])(
  'the real probes judge a real calculator (fixed: %s) as %s',
  {
    timeout: 60_000,
  },
  async (fixed, verdict) => {
    const { wait, close } = await beginRealAudit({ ...calculator, fixed });
    const state = await wait(50_000);
    expect(state).toMatchObject({ status: 'published', outcome: 'complete' });
    expect(state.result?.verdicts).toMatchObject({ ASI05: verdict, ASI02: 'not_assessed' });
    if (fixed) expect(state.result?.findings).toEqual([]);
    await close();
  },
);

test('a cancel ends the probe that runs, and the target hears nothing more', {
  timeout: 60_000,
}, async () => {
  const { engine, target, wait, close } = await beginRealAudit(calculator);
  for (let tries = 0; tries < 200 && (await wait(0)).probes_done < 2; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await cancelAudit(engine, 'job_1');
  const state = await wait(20_000);
  expect(state).toMatchObject({ status: 'aborted', outcome: 'cancelled' });
  const heard = target.observed.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  // A session that was open is ended politely; nothing else is sent.
  const later = target.observed.requests.slice(heard).map(({ method }) => method);
  expect(later.filter((method) => method !== 'DELETE')).toEqual([]);
  await close();
});

const REFUSALS = ['AUDIT_TARGET_DOWN', 'EGRESS_BLOCKED', 'AUDIT_BUDGET', 'AUDIT_UNPROVEN'];

const SEEDS = process.env['STOA_LONG'] === '1' ? [0, 1, 2, 3, 4, 5] : [0, 1];
const hostile = misbehavingTargets.flatMap((target) =>
  SEEDS.map((seed) => ({ name: target.name, target, seed })),
);

test.concurrent.each(hostile)(
  'a target that misbehaves ($name, seed $seed) costs at most what was probed, and is left alone',
  { timeout: 100_000 },
  async ({ target, seed }) => {
    const order = { target, seed, mode: 'passive', categories: ['ASI01', 'ASI04'] } as const;
    const begun = await beginRealAudit(order).catch((thrown: unknown) => {
      expect(thrown).toBeInstanceOf(AppError);
      expect(REFUSALS).toContain((thrown as AppError).code);
      return undefined;
    });
    if (begun === undefined) return;
    const state = await begun.wait(90_000);
    const isPaid = state.status === 'published';
    expect(state.status).toMatch(/^(published|aborted|failed)$/);
    // What was probed is paid; where nothing was, all of it goes back.
    const refund = Number(state.refund?.micro_usd ?? '0');
    expect(refund).toBeGreaterThanOrEqual(isPaid ? 0 : 1);
    expect(refund).toBeLessThanOrEqual(isPaid ? 0 : 5_000_000);
    if (!isPaid && state.probes_done === 0) expect(refund).toBe(5_000_000);
    if (!isPaid) expect(state.reason).not.toBeNull();
    const heard = begun.target.observed.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(begun.target.observed.requests.length).toBe(heard);
    await begun.close();
  },
);
