import type { Hex } from 'viem';
import type { ChainRpc } from '../chain-rpc.ts';
import type { LogArchive } from './log-archive.ts';
import type { BlockLog } from './log-filter.ts';

/** Blocks whose logs are read in one request. */
const SPAN_BLOCKS = 2_000;

/**
 * Copies missing logs from a node into the archive, up to its newest block. The node may then prune
 * those blocks.
 *
 * @returns The number of the newest block.
 */
export async function keepLogs(rpc: ChainRpc, archive: LogArchive): Promise<number> {
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  const first = await firstMissing(rpc, archive, head);
  for (let from = first; from <= head; from += SPAN_BLOCKS) {
    const span = { from, to: Math.min(head, from + SPAN_BLOCKS - 1) };
    const last = await hashOf(rpc, span.to);
    if (last === undefined) return head;
    const ask = { fromBlock: hex(span.from), toBlock: hex(span.to) };
    await archive.add(span, last, await rpc.call<readonly BlockLog[]>('eth_getLogs', [ask]));
  }
  return head;
}

/**
 * Removes logs from the archive that are no longer on the chain. This happens when the node started
 * from an older state and transactions sent again are in other blocks. Those blocks are read again
 * later. Blocks that neither side has are recorded, so that no answer is silently incomplete.
 */
export async function levelLogs(rpc: ChainRpc, archive: LogArchive): Promise<void> {
  const { span, lastHash } = archive;
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  if (span !== undefined && (await hashOf(rpc, span.to)) !== lastHash) {
    await archive.cut(await lastCommon(rpc, archive, head));
  }
  const first = await firstMissing(rpc, archive, head);
  const isJoined = archive.span !== undefined && archive.span.to + 1 === first;
  archive.startAt(isJoined ? archive.span.from : first);
}

/** Returns the newest block of the archive that the chain still has. */
async function lastCommon(rpc: ChainRpc, archive: LogArchive, head: number) {
  for await (const known of archive.hashes()) {
    if (known.block > head) continue;
    const found = await hashOf(rpc, known.block);
    // A block that the node has pruned is not in doubt: only its newest blocks can have changed.
    if (found === known.hash || found === undefined) return known;
  }
  return undefined;
}

/** Returns the first block to read from the node: the one after the archive, or after a gap. */
async function firstMissing(rpc: ChainRpc, archive: LogArchive, head: number): Promise<number> {
  const next = archive.span === undefined ? 0 : archive.span.to + 1;
  const isThere = next > 0 && (next > head || (await hashOf(rpc, next)) !== undefined);
  return isThere ? next : firstBlock(rpc, head);
}

/** Returns the first block of the gapless range that ends with the newest block. */
async function firstBlock(rpc: ChainRpc, head: number): Promise<number> {
  if (head === 0 || (await hashOf(rpc, 1)) !== undefined) return 0;
  let [unknown, known] = [1, head];
  while (known - unknown > 1) {
    const middle = Math.floor((known + unknown) / 2);
    if ((await hashOf(rpc, middle)) === undefined) unknown = middle;
    else known = middle;
  }
  return known;
}

async function hashOf(rpc: ChainRpc, block: number): Promise<string | undefined> {
  const found = await rpc.call<{ readonly hash: string } | null>('eth_getBlockByNumber', [
    hex(block),
    false,
  ]);
  return found?.hash;
}

function hex(block: number): Hex {
  return `0x${block.toString(16)}`;
}
