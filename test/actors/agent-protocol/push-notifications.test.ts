import { expect, test } from 'vitest';
import { TaskPushes } from '../../../src/actors/agent-protocol/push-notifications.ts';
import type { PushRow } from '../../../src/domain/agent-protocol/push.ts';
import { HOUR_MS } from '../../../src/domain/common/time.ts';

const STATUS = { statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } } as never;
const ORDER = { url: 'https://example.org/push' } as never;

/** Push notifications over a store in memory, at a time that the test sets. */
function world(paid: ReadonlySet<string>) {
  const rows = new Map<string, PushRow>();
  const time = { now: 1 };
  const ports = {
    clock: { now: () => time.now },
    jobs: {
      state: async (id: string) => (paid.has(id) ? { jobId: id } : undefined),
      watch: () => () => undefined,
    },
    notifier: { send: async () => undefined },
    random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
    sealer: { seal: (text: string) => text },
    store: {
      all: () => [...rows.values()],
      count: () => rows.size,
      get: (task: string, id: string) => rows.get(`${task} ${id}`),
      list: (task: string) => [...rows.values()].filter(({ taskId }) => taskId === task),
      put: async (row: PushRow) => void rows.set(`${row.taskId} ${row.id}`, row),
      remove: async (gone: readonly PushRow[]) => {
        for (const { taskId, id } of gone) rows.delete(`${taskId} ${id}`);
      },
    },
  };
  return { rows, time, pushes: new TaskPushes(ports as never) };
}

test('configurations of tasks that were never paid make room for others after an hour', async () => {
  const { rows, time, pushes } = world(new Set(['job_paid']));
  await pushes.start();
  for (const task of ['job_paid', 'job_unpaid']) await pushes.add(task, ORDER, STATUS);
  time.now += HOUR_MS - 1;
  await pushes.add('job_second', ORDER, STATUS);
  expect([...rows.values()].map(({ taskId }) => taskId)).toEqual([
    'job_paid',
    'job_unpaid',
    'job_second',
  ]);
  time.now += 2;
  await pushes.add('job_third', ORDER, STATUS);
  expect([...rows.values()].map(({ taskId }) => taskId)).toEqual([
    'job_paid',
    'job_second',
    'job_third',
  ]);
});
