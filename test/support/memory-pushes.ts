import type { PushRow, PushStore } from '../../src/domain/agent-protocol/push.ts';

/** Push notification configurations in memory. */
export function memoryPushes(): PushStore {
  const rows = new Map<string, PushRow>();
  const keyOf = (taskId: string, id: string) => `${taskId} ${id}`;
  return {
    get: (taskId, id) => rows.get(keyOf(taskId, id)),
    list: (taskId) => [...rows.values()].filter((row) => row.taskId === taskId),
    all: () => [...rows.values()],
    count: () => rows.size,
    put: async (row) => void rows.set(keyOf(row.taskId, row.id), row),
    remove: async (gone) => {
      for (const { taskId, id } of gone) rows.delete(keyOf(taskId, id));
    },
  };
}
