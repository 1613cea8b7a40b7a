import type { EscrowLog } from '../chain/trust-chain.ts';

/** Persistent state of the escrow log subscription. */
export interface EscrowCursorStore {
  /** First block whose logs are not processed yet; 0 initially. */
  readonly next: number;
  /**
   * Stores the next block and the logs without a known job, once all earlier logs are processed.
   */
  save(next: number, unclaimed: readonly EscrowLog[]): Promise<void>;
  /** Returns logs of a key that arrived before their job, in order. */
  readUnclaimed(key: string): readonly EscrowLog[];
  /** Deletes the logs of a key once its job has received them. */
  deleteUnclaimed(key: string): Promise<void>;
}
