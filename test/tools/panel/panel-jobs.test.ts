import { expect, test } from 'vitest';
import type { JobState } from '../../../src/domain/job/job.ts';
import { panelJobs } from '../../../src/tools/panel/panel-jobs.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { scriptedLlm } from '../../support/scripted-llm.ts';
import { answerFor } from '../../support/task-world.ts';
import { refusalOf } from '../../support/tool-answers.ts';

const hang = () => scriptedLlm({ say: () => 'hang' });
const noModels = () => scriptedLlm({ families: [], say: () => 'hang' });

test('ids of nothing, and of actors that are no debate, name no job', async () => {
  const world = await panelWorld(hang());
  await world.start();
  const jobs = panelJobs(world.deps());
  for (const jobId of ['job_2', 'pay_1']) {
    expect(await jobs.state(jobId)).toBeUndefined();
    expect((await refusalOf(() => jobs.cancel(jobId))).code).toBe('JOB_UNKNOWN');
  }
});

test('a cancelled debate is a cancelled job, and its watcher hears of it', async () => {
  const world = await panelWorld(hang());
  const jobId = await world.start();
  const jobs = panelJobs(world.deps());
  const heard: JobState[] = [];
  const leave = jobs.watch(jobId, (state) => heard.push(state));
  await world.clock.advance(1_000);
  expect(heard.at(-1)).toMatchObject({ jobId, status: 'working', asks: [], pollAfterMs: 2_000 });
  await jobs.cancel(jobId);
  await world.finish(jobId);
  await world.clock.advance(0);
  expect(heard.at(-1)).toMatchObject({
    status: 'cancelled',
    message: expect.stringMatching(/^Cancelled/),
  });
  expect(await jobs.state(jobId)).toEqual(heard.at(-1));
  const count = heard.length;
  leave();
  await jobs.cancel(jobId);
  await world.clock.advance(1_000);
  expect(heard).toHaveLength(count);
});

test('turns of the caller are questions, and answers bring them', async () => {
  const world = await panelWorld(noModels());
  const jobId = await world.start({ seats_by: 'caller', max_rounds: 0 });
  await world.clock.advance(0);
  const jobs = panelJobs(world.deps());
  const first = await jobs.state(jobId);
  expect(first).toMatchObject({
    status: 'needs_input',
    message: expect.stringMatching(/^Your turn: 5 turns/),
  });
  const [ask, ...others] = first?.asks ?? [];
  expect(ask).toMatchObject({ system: expect.any(String), schema: { type: 'object' } });
  const answers = [{ askId: ask?.askId ?? '', answer: answerFor(ask?.prompt ?? '') }];
  await jobs.supply(jobId, answers);
  expect((await jobs.state(jobId))?.asks).toEqual(others);
  const again = await refusalOf(() => jobs.supply(jobId, answers));
  expect(again.code).toBe('AGENT_TURNS_REFUSED');
});

test('nothing is told about an id that names no job', async () => {
  const world = await panelWorld(hang());
  const heard: JobState[] = [];
  panelJobs(world.deps()).watch('job_2', (state) => heard.push(state))();
  await world.clock.advance(1_000);
  expect(heard).toEqual([]);
});
