import type { Hex } from 'viem';
import { findMintedAgentId } from '../../passport/identity.ts';
import { hasSucceeded, type Receipt } from '../../payment/receipts.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { archiveLogs } from '../history/archive-logs.ts';
import type { LogArchive } from '../history/log-archive.ts';
import type { Relayer } from '../relayer.ts';
import type { Anvil } from './anvil.ts';
import type { ChainStateStore } from './chain-state.ts';
import type { ArchivedTransaction, RawArchive } from './raw-archive.ts';
import type { RawJournal, RawTransaction } from './raw-journal.ts';
import { waitUntilMined } from './restore-dropped.ts';

/** The dependencies of a checkpoint. */
export interface CheckpointDeps {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  readonly archive: RawArchive;
  readonly logs: LogArchive;
  readonly state: ChainStateStore;
  readonly anvil: Pick<Anvil, 'restart'>;
  /** Address of the operator. */
  readonly sender: Hex;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** Returns the first block that a reader still needs, if any. */
  readonly neededFrom?: () => number | undefined;
}

/** Blocks that a node keeps at a checkpoint, so that recent settlements are still found. */
export const BLOCKS_KEPT = 64;
/** Receipts requested in one batch. */
const RECEIPT_BATCH = 200;

/**
 * Prunes the old blocks of a local node. Their contents go to the archives, the state is saved
 * without them, and the node restarts from that state. No transaction is sent meanwhile. A kill at
 * any time loses nothing: the next start replays from archive and journal what the state lacks.
 */
export async function checkpoint(parts: CheckpointDeps): Promise<void> {
  const { rpc, relayer, journal, archive, logs, state, anvil, sender, now } = parts;
  const resume = await relayer.pause();
  try {
    await waitUntilMined(rpc, sender);
    // Read first: every row below this nonce has its receipt now, or another row used the nonce.
    const known = Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, 'latest']));
    const mined = await readMinedRows(rpc, journal.rows());
    await archive.add(mined);
    archive.trim(now());
    const isSettled = ({ from, nonce }: RawTransaction) => from === undefined && nonce < known;
    const settledRows = [...mined, ...journal.rows().filter(isSettled)];
    journal.remove(new Set(settledRows.map(({ hash }) => hash)));
    const block = await archiveLogs(rpc, logs);
    const needed = parts.neededFrom?.() ?? block;
    await state.saveFrom(rpc, Math.min(block - BLOCKS_KEPT, needed));
    await anvil.restart();
  } finally {
    resume();
  }
}

/** Returns the rows that are in a block, with data from their receipts. The others are pending. */
async function readMinedRows(
  rpc: ChainRpc,
  rows: readonly RawTransaction[],
): Promise<readonly ArchivedTransaction[]> {
  const mined: ArchivedTransaction[] = [];
  for (let at = 0; at < rows.length; at += RECEIPT_BATCH) {
    const batch = rows.slice(at, at + RECEIPT_BATCH);
    // Started in one tick, so they share one request.
    const receipts = await Promise.all(
      batch.map(({ hash }) => rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])),
    );
    for (const [index, row] of batch.entries()) {
      const receipt = receipts[index];
      if (receipt === undefined || receipt === null) continue;
      const agentId = findMintedAgentId(receipt);
      const minted = agentId === undefined ? {} : { agentId };
      const block = Number(receipt.blockNumber);
      mined.push({ ...row, ok: hasSucceeded(receipt), block, ...minted });
    }
  }
  return mined;
}
