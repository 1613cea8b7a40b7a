import { expect, test } from 'vitest';
import { TaskFollower } from '../../../../src/transport/mcp/tasks/follower.ts';
import { jobDouble } from '../../../support/job-double.ts';

const ASK = { askId: 'a', system: '', prompt: '', schema: {} };

test('changes of status and questions are told once, and the end is the last', () => {
  const jobs = jobDouble();
  const told: string[] = [];
  const follower = new TaskFollower(jobs, ({ status }) => told.push(status));
  follower.follow(jobs.put('j'));
  follower.follow(jobs.put('j', { message: 'Still working.' }));
  jobs.put('j', { status: 'needs_input', asks: [ASK] });
  jobs.put('j', { updatedAt: 3_000 });
  jobs.put('j', { status: 'ended', asks: [] });
  expect(told).toEqual(['needs_input', 'ended']);
  expect([follower.size, jobs.watched()]).toEqual([0, 0]);
  follower.follow(jobs.put('j'));
  expect(follower.size).toBe(0);
});

test('at most a hundred are followed, and all are left at the end', () => {
  const jobs = jobDouble();
  const follower = new TaskFollower(jobs, () => undefined);
  for (let at = 0; at < 120; at += 1) follower.follow(jobs.put(`j${at}`));
  expect([follower.size, jobs.watched()]).toEqual([100, 100]);
  follower.stop();
  expect([follower.size, jobs.watched()]).toEqual([0, 0]);
});
