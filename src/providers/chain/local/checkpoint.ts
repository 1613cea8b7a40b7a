import type { Hex } from 'viem';
import { mintedOf } from '../../passport/identity.ts';
import { hasSucceeded, type Receipt } from '../../payment/receipts.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { keepLogs } from '../history/keep-logs.ts';
import type { LogArchive } from '../history/log-archive.ts';
import type { Relayer } from '../relayer.ts';
import type { Anvil } from './anvil.ts';
import type { ChainState } from './chain-state.ts';
import { allMined } from './level.ts';
import type { ArchivedTransaction, RawArchive } from './raw-archive.ts';
import type { RawJournal, RawTransaction } from './raw-journal.ts';

/** The dependencies of a checkpoint. */
export interface CheckpointParts {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  readonly archive: RawArchive;
  readonly logs: LogArchive;
  readonly state: ChainState;
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
const RECEIPTS_AT_ONCE = 200;

/**
 * Prunes the old blocks of a local node. Their contents go to the archives, the state is saved
 * without them, and the node restarts from that state. No transaction is sent meanwhile. A kill at
 * any time loses nothing: the next start replays from archive and journal what the state lacks.
 */
export async function checkpoint(parts: CheckpointParts): Promise<void> {
  const { rpc, relayer, journal, archive, logs, state, anvil, sender, now } = parts;
  const resume = await relayer.pause();
  try {
    await allMined(rpc, sender);
    // Read first: every row below this nonce has its receipt now, or another row used the nonce.
    const known = Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, 'latest']));
    const mined = await minedRows(rpc, journal.rows());
    await archive.add(mined);
    archive.trim(now());
    const isOver = ({ from, nonce }: RawTransaction) => from === undefined && nonce < known;
    const over = [...mined, ...journal.rows().filter(isOver)];
    journal.remove(new Set(over.map(({ hash }) => hash)));
    const block = await keepLogs(rpc, logs);
    const needed = parts.neededFrom?.() ?? block;
    await state.saveFrom(rpc, Math.min(block - BLOCKS_KEPT, needed));
    await anvil.restart();
  } finally {
    resume();
  }
}

/** Returns the rows that are in a block, with data from their receipts. The others are pending. */
async function minedRows(
  rpc: ChainRpc,
  rows: readonly RawTransaction[],
): Promise<readonly ArchivedTransaction[]> {
  const mined: ArchivedTransaction[] = [];
  for (let at = 0; at < rows.length; at += RECEIPTS_AT_ONCE) {
    const some = rows.slice(at, at + RECEIPTS_AT_ONCE);
    // Started in one tick, so they share one request.
    const receipts = await Promise.all(
      some.map(({ hash }) => rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])),
    );
    for (const [index, row] of some.entries()) {
      const receipt = receipts[index];
      if (receipt === undefined || receipt === null) continue;
      const agentId = mintedOf(receipt);
      const minted = agentId === undefined ? {} : { agentId };
      const block = Number(receipt.blockNumber);
      mined.push({ ...row, ok: hasSucceeded(receipt), block, ...minted });
    }
  }
  return mined;
}
