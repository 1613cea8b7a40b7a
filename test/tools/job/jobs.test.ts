import { expect, test } from 'vitest';
import type { JobState, Jobs } from '../../../src/domain/job/job.ts';
import { combineJobs } from '../../../src/tools/job/jobs.ts';
import { refusalOf } from '../../support/tool-answers.ts';

/** A kind whose jobs are those of a list, which may grow. */
function kindOf(ids: string[]): Jobs & { readonly told: string[] } {
  const told: string[] = [];
  return {
    told,
    state: async (jobId) => (ids.includes(jobId) ? stateOf(jobId) : undefined),
    watch: (jobId, listener) => {
      if (ids.includes(jobId)) listener(stateOf(jobId));
      return () => told.push(`left ${jobId}`);
    },
    cancel: async (jobId) => void told.push(`cancelled ${jobId}`),
    supply: async (jobId, answers) => void told.push(`supplied ${jobId} ${answers.length}`),
  };
}

function stateOf(jobId: string): JobState {
  return {
    jobId,
    status: 'working',
    message: 'Working.',
    createdAt: 1,
    updatedAt: 2,
    pollAfterMs: 2_000,
    asks: [],
    result: { content: [] },
  };
}

test('a job is served by the kind that knows it', async () => {
  const [left, right] = [kindOf(['a']), kindOf(['b'])];
  const jobs = combineJobs([left, right]);
  expect((await jobs.state('b'))?.jobId).toBe('b');
  await jobs.cancel('b');
  await jobs.supply('a', [{ askId: 'q', answer: 'x' }]);
  const heard: string[] = [];
  jobs.watch('a', ({ jobId }) => heard.push(jobId))();
  expect(heard).toEqual(['a']);
  expect(left.told).toEqual(['supplied a 1', 'left a']);
  expect(right.told).toEqual(['cancelled b', 'left a']);
});

test('an id that no kind knows is unknown', async () => {
  const jobs = combineJobs([kindOf(['a'])]);
  expect(await jobs.state('c')).toBeUndefined();
  expect((await refusalOf(() => jobs.cancel('c'))).code).toBe('JOB_UNKNOWN');
  expect((await refusalOf(() => jobs.supply('c', []))).code).toBe('JOB_UNKNOWN');
});
