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

/** What a checkpoint works on. */
export interface CheckpointParts {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  readonly archive: RawArchive;
  readonly logs: LogArchive;
  readonly state: ChainState;
  readonly anvil: Pick<Anvil, 'restart'>;
  /** The operator. */
  readonly sender: Hex;
  /** Milliseconds. */
  readonly now: () => number;
  /** The first block that somebody has still to read; none unless given. */
  readonly neededFrom?: () => number | undefined;
}

/** Blocks that a node keeps over a checkpoint, so that what has just settled is still found. */
export const BLOCKS_KEPT = 64;
/** Receipts that are asked for at once. */
const RECEIPTS_AT_ONCE = 200;

/**
 * Frees a local node of its old blocks: what is in them goes to the archives, the state is saved
 * without them, and the node is started again on that. No transaction is sent meanwhile. A kill at
 * any point loses nothing: a start replays from the archive and the journal what the state lacks.
 */
export async function checkpoint(parts: CheckpointParts): Promise<void> {
  const { rpc, relayer, journal, archive, logs, state, anvil, sender, now } = parts;
  const resume = await relayer.pause();
  try {
    await allMined(rpc, sender);
    // Read first: what is below has its receipt by now, or its nonce was used by another row.
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

/** Rows that are in a block, with what their receipts say; the others are still under way. */
async function minedRows(
  rpc: ChainRpc,
  rows: readonly RawTransaction[],
): Promise<readonly ArchivedTransaction[]> {
  const mined: ArchivedTransaction[] = [];
  for (let at = 0; at < rows.length; at += RECEIPTS_AT_ONCE) {
    const some = rows.slice(at, at + RECEIPTS_AT_ONCE);
    // Begun in one tick, so they travel in one request.
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
