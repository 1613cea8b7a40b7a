import { createDataFailure } from '../../domain/data/data-failure.ts';
import type { ReportInput } from '../../domain/report/records.ts';
import type { ReportContext, StepInput } from '../../machines/report/report-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { OpenEffect, PathPlan } from '../path.ts';

const AT = 1_700_000_000_000;
const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'it broke' };
const sha = (digit: string): string => digit.repeat(64);

const reportInput: ReportInput = {
  jobId: 'job_path',
  paymentId: 'pay_path',
  reportKind: 'test',
  tool: 'ops_link-integrity',
  request: { subject: 'somebody' },
  deadlineMs: 100_000,
  priceMicroUsd: '2000000',
};

const createStep = (stepId: string, isRequired: boolean) => ({ stepId, title: stepId, isRequired });

/** Path plan of a report with two or three steps, the first of which is required. */
export const reportPlan: PathPlan = {
  input: reportInput,
  effects: {
    begin: {
      done: [
        { at: AT, steps: [createStep('identity', true), createStep('filings', false)] },
        {
          at: AT,
          steps: [createStep('one', false), createStep('two', false), createStep('three', false)],
        },
      ],
      error: [internalError],
    },
    step: { done: stepOutcomes, error: [internalError] },
    compose: {
      done: [
        { resultSha: sha('a'), isAnswer: true, headline: 'It is so.' },
        { resultSha: sha('b'), isAnswer: false, headline: 'Nothing has answered.' },
      ],
      error: [{ name: 'AppError', code: 'STORE_FULL', message: 'no room' }],
    },
  },
  facets: selectFacts,
};

function stepOutcomes({ input }: OpenEffect): readonly unknown[] {
  const { stepId } = input as StepInput;
  const fault = createDataFailure('upstream_timeout', { upstream: stepId, detail: 'It hung.' });
  return [
    { stepId, sha: sha('c'), fault: null, at: AT },
    { stepId, sha: null, fault, at: AT },
  ];
}

/** Selects the facts that affect how a report continues. */
function selectFacts({ steps, ends, outcome, detached }: ReportContext): unknown {
  return [steps.length, ends.map((end) => end.sha !== null), outcome, detached];
}
