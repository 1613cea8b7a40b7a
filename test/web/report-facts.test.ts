import { expect, test } from 'vitest';
import type { ActorFrame } from '../../src/domain/inspect/wire.ts';
import { extractReportFacts, stepDrawing } from '../../web/src/reports/report-facts.ts';

const HIDDEN = { hidden: 'text', size: 3 };
const STEPS = ['a', 'b', 'c'].map((stepId) => ({
  stepId,
  title: `Step ${stepId}`,
  isRequired: false,
}));

function frameOf(context: object, status = 'active'): ActorFrame {
  const input = { tool: 'ops_x', reportKind: 'due_diligence', priceMicroUsd: '900000' };
  return {
    status,
    context: { input, steps: STEPS, begunAt: 1_000, outcome: null, composed: null, ...context },
  } as never;
}

test('steps follow each other on one line of time, and the one that runs goes on', () => {
  const fault = { upstream: 'gleif', code: 'rate_limited', detail: HIDDEN };
  const ends = [
    { stepId: 'a', at: 3_000, sha: HIDDEN, fault: { hidden: 'null', size: 0 } },
    { stepId: 'b', at: 4_000, sha: { hidden: 'null', size: 0 }, fault },
  ];
  const { steps, kind } = extractReportFacts(frameOf({ ends }), 9_000);
  expect(steps.map(({ status, from, to }) => [status, from, to])).toEqual([
    ['done', 1_000, 3_000],
    ['failed', 3_000, 4_000],
    ['running', 4_000, 9_000],
  ]);
  expect([steps[1]?.fault, kind]).toEqual([
    { upstream: 'gleif', code: 'rate_limited' },
    'due diligence',
  ]);
});

test('what an ended report has not begun was skipped, and nothing of it is drawn', () => {
  const ends = [{ stepId: 'a', at: 3_000, fault: null }];
  const { steps } = extractReportFacts(frameOf({ ends, outcome: 'cancelled' }, 'done'), 9_000);
  expect(steps.map(({ status }) => status)).toEqual(['done', 'skipped', 'skipped']);
  expect(stepDrawing(steps).match(/<rect class="(?!rail)/g)).toHaveLength(1);
});

test('a report that has not begun, or whose every value is hidden, is no number', () => {
  const early = extractReportFacts(frameOf({ steps: [], ends: [], begunAt: 0 }), 9_000);
  expect(early.steps).toEqual([]);
  const { steps, tool } = extractReportFacts(
    { status: 'active', context: { input: HIDDEN, steps: HIDDEN } } as never,
    1,
  );
  expect([steps, tool]).toEqual([[], '']);
  expect(
    stepDrawing(extractReportFacts(frameOf({ ends: [], begunAt: 0 }), 9_000).steps),
  ).not.toContain('NaN');
});
