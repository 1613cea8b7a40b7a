import type { EscrowLog } from '../../domain/chain/trust-chain.ts';
import type { EscrowCursorStore } from '../../domain/escrow/escrow-cursor-store.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

/** Maximum logs kept for unknown jobs; beyond it, new logs are not stored. */
export const UNCLAIMED_MAX = 1_000;
const POSITION_KEY = 'escrow';
const PER_KEY_MAX = 16;

type LogKey = [key: string, block: number, logIndex: number];

/** Opens the store of the escrow follower, in the trust environment. */
export function openEscrowFollowStore(store: TrustStore): EscrowCursorStore {
  const marks: JsonTable<string, number> = store.table('escrow-marks');
  const logs: JsonTable<LogKey, EscrowLog> = store.table('escrow-unclaimed');
  const listLogs = (key: string) =>
    logs.list({ start: [key, 0, 0], end: [`${key}~`, 0, 0], limit: PER_KEY_MAX });
  return {
    get next() {
      return marks.get(POSITION_KEY) ?? 0;
    },
    save: async (next, unclaimed) => {
      const capacity = UNCLAIMED_MAX - logs.count();
      const kept = unclaimed.slice(0, Math.max(0, capacity));
      await store.environment.commit([
        marks.change(POSITION_KEY, next),
        ...kept.map((log) => logs.change([log.key, log.block, log.logIndex], log)),
      ]);
    },
    readUnclaimed: (key) => listLogs(key).map(({ row }) => row),
    deleteUnclaimed: async (key) => {
      const names = listLogs(key).map(({ key: name }) => name);
      if (names.length > 0) await logs.remove(names);
    },
  };
}
