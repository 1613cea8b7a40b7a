import { expect, test } from 'vitest';
import { formatAudit } from '../../../src/tools/audit/audit-answer.ts';
import { beginRealAudit } from '../../support/audits/real-audit.ts';
import { allTargets } from '../../support/targets/all-targets.ts';

const target = allTargets.find(({ name }) => name === 'cross-session-memory');

async function audited(allow_writes: boolean) {
  if (target === undefined) expect.fail('there is a target that remembers');
  const what = { target, seed: 1, mode: 'active', categories: ['ASI06'], allow_writes } as const;
  const begun = await beginRealAudit(what);
  try {
    const state = await begun.wait(50_000);
    const { content } = formatAudit(state);
    const [answer] = content;
    if (answer?.type !== 'text') expect.fail('the answer is a text');
    const { report } = await begun.report();
    return { state, report, first: answer.text.split('\n')[0] ?? '' };
  } finally {
    await begun.close();
  }
}

test('what could not be undone is the first line of the answer and of the report', {
  timeout: 60_000,
}, async () => {
  const { state, report, first } = await audited(true);
  expect(first).toMatch(/left behind.*stoa/i);
  expect(Object.keys(report)[0]).toBe('left_behind');
  expect(report.left_behind).toBe(first);
  expect(state.result?.left_behind).toBe(first);
  expect(report.scope.allow_writes).toBe(true);
});

test('without allow_writes nothing is written, and what was not called makes its category partial', {
  timeout: 60_000,
}, async () => {
  const { state, report, first } = await audited(false);
  expect(first).toMatch(/^Audit of/);
  expect(report.left_behind).toBe('');
  expect(state.result?.verdicts['ASI06']).not.toBe('pass');
  const reasons = report.probes.map(({ reason }) => reason ?? '').join(' ');
  expect(reasons).toContain('not called');
});
