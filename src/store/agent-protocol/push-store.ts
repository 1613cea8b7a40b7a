import { PUSHES_MAX, type PushRow, type PushStore } from '../../domain/agent-protocol/push.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

/** After every id of a task. */
const LAST = '\uffff';

type PushKey = [taskId: string, id: string];

/** Opens the push notification configurations, in the trust environment. */
export function openPushStore(store: TrustStore): PushStore {
  const rows: JsonTable<PushKey, PushRow> = store.table('push-configs');
  const list = (range: { readonly start?: PushKey; readonly end?: PushKey }) =>
    rows.list({ ...range, limit: PUSHES_MAX }).map(({ row }) => row);
  return {
    get: (taskId, id) => rows.get([taskId, id]),
    list: (taskId) => list({ start: [taskId, ''], end: [taskId, LAST] }),
    all: () => list({}),
    count: () => rows.count(),
    put: (row) => rows.put([row.taskId, row.id], row),
    remove: (gone) => rows.remove(gone.map(({ taskId, id }) => [taskId, id])),
  };
}
