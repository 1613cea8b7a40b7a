import type { Redaction } from './redaction.ts';

const FAULT = ['upstream', 'code', 'retryable', 'retry_after_s'];
const END = ['stepId', 'at', ...FAULT.map((name) => `fault.${name}`)];
const STEP = ['stepId', 'title', 'isRequired'];
const INPUT = ['paymentId', 'reportKind', 'tool', 'deadlineMs', 'priceMicroUsd'];

const below = (parent: string, paths: readonly string[]) =>
  paths.map((path) => `${parent}.${path}`);

/** How a report goes is shown; its capability, what was asked and what was found are not. */
export const reportRedaction: Redaction = {
  kind: 'report',
  context: [
    ...below('input', INPUT),
    ...below('steps.*', STEP),
    ...below('ends.*', END),
    'begunAt',
    'outcome',
    'detached',
    'composed.isAnswer',
  ],
  hidden: [
    // A capability: whoever holds it reads and cancels the job.
    'input.jobId',
    // What a buyer looks into, and what was found, are the buyer's.
    'input.request',
    'ends.*.sha',
    // These name what was asked for.
    'ends.*.fault.detail',
    'reason',
    'composed.resultSha',
    'composed.headline',
  ],
  events: {
    'xstate.init': below('input', INPUT),
    'xstate.done.actor.begin': ['actorId', 'output.at', ...below('output.steps.*', STEP)],
    'xstate.done.actor.step': ['actorId', ...below('output', END)],
    'xstate.done.actor.compose': ['actorId', 'output.isAnswer'],
  },
};
