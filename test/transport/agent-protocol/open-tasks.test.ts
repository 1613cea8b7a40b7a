import { expect, test } from 'vitest';
import { buildTask } from '../../../src/domain/agent-protocol/task.ts';
import {
  OPEN_TASK_MS,
  OPEN_TASKS_MAX,
  type OpenTask,
  OpenTasks,
} from '../../../src/transport/agent-protocol/open-tasks.ts';

const shown = buildTask({ taskId: 't', state: 'TASK_STATE_SUBMITTED', text: 'x', at: 0 });

function task(taskId: string, change: Partial<OpenTask> = {}): OpenTask {
  const call = { skill: 'paid', arguments: {} };
  return { taskId, network: 'n', call, bytes: 10, expiresAt: OPEN_TASK_MS, shown, ...change };
}

test('a task is forgotten when its time is over', () => {
  const tasks = new OpenTasks();
  tasks.add(task('a'), 0);
  expect(tasks.find('a', OPEN_TASK_MS - 1)?.taskId).toBe('a');
  expect(tasks.find('a', OPEN_TASK_MS)).toBeUndefined();
  expect(tasks.size).toBe(0);
});

test('a network pushes out its own oldest tasks, by count and by bytes', () => {
  const tasks = new OpenTasks();
  const { count, bytes } = OPEN_TASKS_MAX.network;
  tasks.add(task('other', { network: 'm' }), 0);
  for (let at = 0; at <= count; at += 1) tasks.add(task(`t${at}`), 0);
  expect(tasks.size).toBe(count + 1);
  expect(tasks.find('t0', 0)).toBeUndefined();
  tasks.add(task('large', { bytes }), 0);
  expect(tasks.size).toBe(2);
  expect(tasks.find('other', 0)).toBeDefined();
});

test('all networks together are limited', () => {
  const tasks = new OpenTasks();
  const { count } = OPEN_TASKS_MAX.total;
  for (let at = 0; at < count; at += 1) tasks.add(task(`t${at}`, { network: `${at}` }), 0);
  expect(() => tasks.add(task('more', { network: 'new' }), 0)).toThrow('unpaid tasks');
  expect(tasks.find('t0', 0)).toBeDefined();
  const most = new OpenTasks();
  const { bytes } = OPEN_TASKS_MAX.total;
  const finished = task('a');
  most.add(finished, 0);
  most.finish(finished, { ...shown, contextId: 'x'.repeat(bytes) });
  expect(() => most.add(task('b', { network: 'm' }), 0)).toThrow('unpaid tasks');
  most.remove('a');
  most.add(task('b', { network: 'm' }), 0);
});
