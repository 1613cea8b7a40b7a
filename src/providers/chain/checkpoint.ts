import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { AppError } from '../../domain/error.ts';
import type { Anvil } from './anvil.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { ChainState } from './chain-state.ts';
import type { ArchivedTransaction, RawArchive } from './raw-archive.ts';
import type { RawJournal, RawTransaction } from './raw-journal.ts';
import { hasSucceeded, type Receipt } from './receipts.ts';
import type { Relayer } from './relayer.ts';

/** What a checkpoint works on. */
export interface CheckpointParts {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  readonly archive: RawArchive;
  readonly state: ChainState;
  readonly anvil: Pick<Anvil, 'restart'>;
  /** The operator. */
  readonly sender: Hex;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Blocks that a node keeps over a checkpoint, so that what has just settled is still found. */
export const BLOCKS_KEPT = 64;
const MINED_TRIES = 100;
const MINED_EVERY_MS = 20;
/** Receipts that are asked for at once. */
const RECEIPTS_AT_ONCE = 200;

/**
 * Frees a local node of its old blocks: what is in them goes to the archive, the state is saved
 * without them, and the node is started again on that. No transaction is sent meanwhile. A kill at
 * any point loses nothing: rows leave the journal last.
 */
export async function checkpoint(parts: CheckpointParts): Promise<void> {
  const { rpc, relayer, journal, archive, state, anvil, sender, now } = parts;
  const resume = await relayer.pause();
  try {
    await allMined(rpc, sender);
    const mined = await minedRows(rpc, journal.rows());
    await archive.add(mined);
    archive.trim(now());
    const block = Number(await rpc.call<Hex>('eth_blockNumber', []));
    await state.saveFrom(rpc, block - BLOCKS_KEPT);
    await anvil.restart();
    const lost = await firstUnknown(rpc, mined.at(-1));
    if (lost !== undefined) throw new AppError('CHAIN_UNAVAILABLE', { data: { lost } });
    const known = Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, 'latest']));
    // A row whose nonce another one has used never arrived, and never will.
    const isOver = ({ from, nonce }: RawTransaction) => from === undefined && nonce < known;
    const over = [...mined, ...journal.rows().filter(isOver)];
    journal.remove(new Set(over.map(({ hash }) => hash)));
  } finally {
    resume();
  }
}

/** Waits a little for what is on its way; what stays there is sent again after the start. */
async function allMined(rpc: ChainRpc, sender: Hex): Promise<void> {
  for (let tries = 0; tries < MINED_TRIES; tries += 1) {
    const [latest, pending] = await Promise.all(
      ['latest', 'pending'].map((tag) => rpc.call<Hex>('eth_getTransactionCount', [sender, tag])),
    );
    if (latest === pending) return;
    await sleep(MINED_EVERY_MS);
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
      mined.push({ ...row, ok: hasSucceeded(receipt), block: Number(receipt.blockNumber) });
    }
  }
  return mined;
}

/** The newest archived transaction must be known to the node that was started on the new state. */
async function firstUnknown(
  rpc: ChainRpc,
  newest: RawTransaction | undefined,
): Promise<string | undefined> {
  if (newest === undefined) return undefined;
  const found = await rpc.call<unknown>('eth_getTransactionByHash', [newest.hash]);
  return found === null ? newest.hash : undefined;
}
