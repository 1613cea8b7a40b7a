import type { EscrowLog } from '../../domain/chain/trust-chain.ts';
import type { EscrowFollowStore } from '../../domain/escrow/escrow-follow.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { Rows } from '../common/rows.ts';

/** Maximum logs kept for unknown jobs; beyond it, new logs are not stored. */
export const UNCLAIMED_MAX = 1_000;
const FOLLOWED = 'escrow';
const PER_KEY_MAX = 16;

type LogName = [key: string, block: number, logIndex: number];

/** Opens the store of the escrow follower, in the trust environment. */
export function openEscrowFollow(store: TrustStore): EscrowFollowStore {
  const marks: Rows<string, number> = store.table('escrow-marks');
  const logs: Rows<LogName, EscrowLog> = store.table('escrow-unclaimed');
  const of = (key: string) =>
    logs.list({ start: [key, 0, 0], end: [`${key}~`, 0, 0], limit: PER_KEY_MAX });
  return {
    get next() {
      return marks.get(FOLLOWED) ?? 0;
    },
    keep: async (next, unclaimed) => {
      const room = UNCLAIMED_MAX - logs.count();
      const kept = unclaimed.slice(0, Math.max(0, room));
      await store.environment.commit([
        marks.change(FOLLOWED, next),
        ...kept.map((log) => logs.change([log.key, log.block, log.logIndex], log)),
      ]);
    },
    unclaimed: (key) => of(key).map(({ row }) => row),
    claimed: async (key) => {
      const names = of(key).map(({ key: name }) => name);
      if (names.length > 0) await logs.remove(names);
    },
  };
}
