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
export async function archiveLogs(rpc: ChainRpc, archive: LogArchive): Promise<number> {
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  const first = await findFirstMissing(rpc, archive, head);
  for (let from = first; from <= head; from += SPAN_BLOCKS) {
    const span = { from, to: Math.min(head, from + SPAN_BLOCKS - 1) };
    const last = await readBlockHash(rpc, span.to);
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
export async function reconcileArchive(rpc: ChainRpc, archive: LogArchive): Promise<void> {
  const { span, lastHash } = archive;
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  if (span !== undefined && (await readBlockHash(rpc, span.to)) !== lastHash) {
    await archive.truncateAfter(await findLastCommon(rpc, archive, head));
  }
  const first = await findFirstMissing(rpc, archive, head);
  const isJoined = archive.span !== undefined && archive.span.to + 1 === first;
  archive.setOldest(isJoined ? archive.span.from : first);
}

/** Returns the newest block of the archive that the chain still has. */
async function findLastCommon(rpc: ChainRpc, archive: LogArchive, head: number) {
  for await (const known of archive.hashes()) {
    if (known.block > head) continue;
    const found = await readBlockHash(rpc, known.block);
    // A block that the node has pruned is not in doubt: only its newest blocks can have changed.
    if (found === known.hash || found === undefined) return known;
  }
  return undefined;
}

/** Returns the first block to read from the node: the one after the archive, or after a gap. */
async function findFirstMissing(rpc: ChainRpc, archive: LogArchive, head: number): Promise<number> {
  const next = archive.span === undefined ? 0 : archive.span.to + 1;
  const isThere = next > 0 && (next > head || (await readBlockHash(rpc, next)) !== undefined);
  return isThere ? next : findFirstBlock(rpc, head);
}

/** Returns the first block of the gapless range that ends with the newest block. */
async function findFirstBlock(rpc: ChainRpc, head: number): Promise<number> {
  if (head === 0 || (await readBlockHash(rpc, 1)) !== undefined) return 0;
  let [unknown, known] = [1, head];
  while (known - unknown > 1) {
    const middle = Math.floor((known + unknown) / 2);
    if ((await readBlockHash(rpc, middle)) === undefined) unknown = middle;
    else known = middle;
  }
  return known;
}

async function readBlockHash(rpc: ChainRpc, block: number): Promise<string | undefined> {
  const found = await rpc.call<{ readonly hash: string } | null>('eth_getBlockByNumber', [
    hex(block),
    false,
  ]);
  return found?.hash;
}

function hex(block: number): Hex {
  return `0x${block.toString(16)}`;
}
