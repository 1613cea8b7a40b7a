import type { Hex } from 'viem';
import type { ChainRpc } from '../chain-rpc.ts';
import type { LogArchive } from './log-archive.ts';
import type { BlockLog } from './log-filter.ts';

/** Blocks whose logs are asked for at once. */
const SPAN_BLOCKS = 2_000;

/**
 * Copies the logs that the archive lacks out of a node, up to its newest block, so that the node
 * may forget those blocks. @returns The newest block.
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
 * Takes out of the archive what the chain does not have any more: its node was brought up from an
 * older state, so that what was sent again stands in other blocks. They are read anew later. What
 * neither has is noted, so that nobody is told less than there was.
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

/** The newest block of the archive that the chain still has. */
async function lastCommon(rpc: ChainRpc, archive: LogArchive, head: number) {
  for await (const known of archive.hashes()) {
    if (known.block > head) continue;
    const found = await hashOf(rpc, known.block);
    // What the node has forgotten is not in doubt: only its newest blocks can have changed.
    if (found === known.hash || found === undefined) return known;
  }
  return undefined;
}

/** The first block whose logs are to be read from the node: where the archive ends, or a gap. */
async function firstMissing(rpc: ChainRpc, archive: LogArchive, head: number): Promise<number> {
  const next = archive.span === undefined ? 0 : archive.span.to + 1;
  const isThere = next > 0 && (next > head || (await hashOf(rpc, next)) !== undefined);
  return isThere ? next : firstBlock(rpc, head);
}

/** The first block of the row without a gap that ends with the newest one. */
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
