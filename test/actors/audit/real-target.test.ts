import { expect, test } from 'vitest';
import { cancelAudit } from '../../../src/actors/audit/audit.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import { beginRealAudit, type RealAudit } from '../../support/audits/real-audit.ts';
import { smallHttp } from '../../support/audits/small-http.ts';
import { codeEvaluation } from '../../support/targets/faults/code-evaluation.ts';
import { misbehavingTargets } from '../../support/targets/misbehaving/misbehaving-targets.ts';
import { meddlingTarget } from '../../support/targets/parts/meddling.ts';

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

test('a cancel ends the probe that runs, and nothing is sent after its end is told', {
  timeout: 60_000,
}, async () => {
  const { engine, sent, quiet, wait, close } = await beginRealAudit(calculator);
  for (let tries = 0; tries < 2_000 && (await wait(0)).probes_done < 2; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await cancelAudit(engine, 'job_1');
  const state = await wait(20_000);
  expect(state).toMatchObject({ status: 'aborted', outcome: 'cancelled' });
  // What was on its way before may still be heard; sent is nothing any more.
  const before = sent.length;
  expect(before).toBeGreaterThan(5);
  await quiet();
  expect(sent.slice(before)).toEqual([]);
  await close();
});

const REFUSALS = ['AUDIT_TARGET_DOWN', 'EGRESS_BLOCKED', 'AUDIT_BUDGET', 'AUDIT_UNPROVEN'];

const SEEDS = process.env['STOA_LONG'] === 'all' ? [0, 1, 2, 3, 4, 5] : [0, 1];
const hostile = misbehavingTargets.flatMap((target) =>
  SEEDS.map((seed) => ({ name: target.name, target, seed })),
);

test.concurrent.each(hostile)(
  'a target that misbehaves ($name, seed $seed) costs nothing unless it was audited, and is left alone',
  { timeout: 100_000 },
  async ({ target, seed }) => {
    const order = { target, seed, mode: 'passive', categories: ['ASI01', 'ASI04'] } as const;
    const begun = await beginRealAudit(order).catch((thrown: unknown) => {
      expect(thrown).toBeInstanceOf(AppError);
      expect(REFUSALS).toContain((thrown as AppError).code);
      return undefined;
    });
    if (begun === undefined) return;
    const { sent, quiet, wait, close } = begun;
    const state = await wait(90_000);
    const { status, outcome, refund, reason, result, cut_off } = state;
    if (status === 'published') {
      expect([outcome, refund]).toEqual(['complete', null]);
    } else {
      expect(['target_down', 'unassessable']).toContain(outcome);
      expect(refund?.micro_usd).toBe('5000000');
      expect([typeof reason, cut_off?.is_signed]).toEqual(['string', false]);
      // A change is confirmed by two looks, and is all that is told.
      const titles = result?.findings.map(({ title }) => title) ?? [];
      expect(titles.filter((title) => !title.startsWith('Definitions changed'))).toEqual([]);
    }
    const before = sent.length;
    await quiet();
    expect(sent.slice(before)).toEqual([]);
    await close();
  },
);

test('a target that leads inside in the middle is down, with the reason, and nothing inside is asked', {
  timeout: 60_000,
}, async () => {
  const inside = await smallHttp();
  const leads = meddlingTarget({
    name: 'leads-inside',
    category: 'ASI07',
    fault: 'Leads inside after a while.',
    meddler: () => {
      return ({ method, count, response }) => {
        if (method !== 'initialize' || count < 15) return false;
        response.writeHead(307, { location: inside.url }).end();
        return true;
      };
    },
  });
  const categories = ['ASI01', 'ASI02', 'ASI04'];
  const order = { target: leads, seed: 0, mode: 'passive', categories, isStrict: true } as const;
  const { wait, close } = await beginRealAudit(order);
  expect(await wait(50_000)).toMatchObject({
    status: 'failed',
    outcome: 'target_down',
    refund: { micro_usd: '5000000' },
    reason: expect.stringContaining('EGRESS_BLOCKED'),
  });
  expect(inside.seen).toEqual([]);
  await close();
  await inside.close();
});
