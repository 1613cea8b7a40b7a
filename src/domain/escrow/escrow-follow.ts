import type { EscrowLog } from '../chain/trust-chain.ts';

/** What following the escrow keeps on disk. */
export interface EscrowFollowStore {
  /** The first block whose logs were not told yet; 0 at first. */
  readonly next: number;
  /** Keeps it, once everything before it is told, together with logs that no job is known for. */
  keep(next: number, unclaimed: readonly EscrowLog[]): Promise<void>;
  /** Logs of a key that came before their job, in order. */
  unclaimed(key: string): readonly EscrowLog[];
  /** Forgets them, once their job has them. */
  claimed(key: string): Promise<void>;
}
