import type { Redaction } from './redaction.ts';

const FAULT = ['upstream', 'code', 'retryable', 'retry_after_s'];
const END = ['stepId', 'at', ...FAULT.map((name) => `fault.${name}`)];
const STEP = ['stepId', 'title', 'isRequired'];
const INPUT = ['paymentId', 'reportKind', 'tool', 'deadlineMs', 'priceMicroUsd'];

const prefixPaths = (parent: string, paths: readonly string[]) =>
  paths.map((path) => `${parent}.${path}`);

/** Shows the progress of a report. Hides its capability, request, and results. */
export const reportRedaction: Redaction = {
  kind: 'report',
  context: [
    ...prefixPaths('input', INPUT),
    ...prefixPaths('steps.*', STEP),
    ...prefixPaths('ends.*', END),
    'begunAt',
    'outcome',
    'detached',
    'composed.isAnswer',
  ],
  hidden: [
    // A capability: its holder can read and cancel the job.
    'input.jobId',
    // The subject and results of a report belong to its buyer.
    'input.request',
    'ends.*.sha',
    // These texts reveal the request.
    'ends.*.fault.detail',
    'reason',
    'composed.resultSha',
    'composed.headline',
  ],
  events: {
    'xstate.init': prefixPaths('input', INPUT),
    'xstate.done.actor.begin': ['actorId', 'output.at', ...prefixPaths('output.steps.*', STEP)],
    'xstate.done.actor.step': ['actorId', ...prefixPaths('output', END)],
    'xstate.done.actor.compose': ['actorId', 'output.isAnswer'],
  },
};
