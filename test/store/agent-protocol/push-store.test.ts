import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { PushRow } from '../../../src/domain/agent-protocol/push.ts';
import { openPushStore } from '../../../src/store/agent-protocol/push-store.ts';
import { openTrustStore } from '../../../src/store/chain/trust-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

const folder = tempDir();
afterAll(() => folder.remove());

const rowOf = (taskId: string, id: string): PushRow => ({
  id,
  taskId,
  url: 'https://example.org/push',
  sealed: 'sealed',
  createdAt: 1,
});

test('configurations are kept by task, replaced by id, and there after a restart', async () => {
  const path = join(folder.path, 'trust');
  const first = openTrustStore({ path });
  const store = openPushStore(first);
  for (const [task, id] of [
    ['job_1', 'a'],
    ['job_1', 'b'],
    ['job_10', 'a'],
    ['job_1', 'a'],
  ] as const) {
    await store.put(rowOf(task, id));
  }
  await first.close();
  const second = openTrustStore({ path });
  const again = openPushStore(second);
  expect(again.count()).toBe(3);
  expect(again.list('job_1').map(({ id }) => id)).toEqual(['a', 'b']);
  expect(again.get('job_10', 'a')).toEqual(rowOf('job_10', 'a'));
  await again.remove([
    { taskId: 'job_1', id: 'a' },
    { taskId: 'job_1', id: 'none' },
  ]);
  expect(again.all().map(({ taskId, id }) => [taskId, id])).toEqual([
    ['job_1', 'b'],
    ['job_10', 'a'],
  ]);
  await second.close();
});
