import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChainRpc } from './chain-rpc.ts';

/** One log of a receipt, as nodes answer it. */
export interface ChainLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly transactionHash: Hex;
}

/** The part of a receipt that is used. */
export interface Receipt {
  readonly status: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: readonly ChainLog[];
}

/** How often and how long receipts are asked for, in milliseconds. */
export interface ReceiptPatience {
  readonly everyMs: number;
  readonly totalMs: number;
}

/**
 * Waits for a transaction to be in a block.
 *
 * @returns `undefined` when it is not within the time, which says nothing about later.
 */
export async function awaitReceipt(
  rpc: ChainRpc,
  hash: Hex,
  { everyMs, totalMs }: ReceiptPatience,
): Promise<Receipt | undefined> {
  const deadline = performance.now() + totalMs;
  for (;;) {
    const receipt = await readReceipt(rpc, hash);
    if (receipt !== undefined || performance.now() + everyMs > deadline) return receipt;
    await sleep(everyMs);
  }
}

/**
 * Tells whether a receipt's block has enough blocks on it, its own included, and is still the one
 * at its height. Asks nothing where one block is enough.
 */
export async function isDeep(
  rpc: ChainRpc,
  receipt: Receipt,
  confirmations: number,
): Promise<boolean> {
  if (confirmations <= 1) return true;
  const [latest, block] = await Promise.all([
    rpc.call<Hex>('eth_blockNumber', []),
    rpc.call<{ readonly hash: Hex } | null>('eth_getBlockByNumber', [receipt.blockNumber, false]),
  ]);
  const depth = Number(latest) - Number(receipt.blockNumber) + 1;
  return depth >= confirmations && block?.hash === receipt.blockHash;
}

/**
 * Waits for a transaction to be in a block that is deep enough. One that leaves its block is
 * waited for anew.
 *
 * @returns `undefined` when it is not within the time, which says nothing about later.
 */
export async function awaitConfirmed(
  rpc: ChainRpc,
  hash: Hex,
  { everyMs, totalMs, confirmations }: ReceiptPatience & { readonly confirmations: number },
): Promise<Receipt | undefined> {
  const deadline = performance.now() + totalMs;
  for (;;) {
    const left = Math.max(0, deadline - performance.now());
    const receipt = await awaitReceipt(rpc, hash, { everyMs, totalMs: left });
    if (receipt === undefined || (await isDeep(rpc, receipt, confirmations))) return receipt;
    if (performance.now() + everyMs > deadline) return undefined;
    await sleep(everyMs);
  }
}

/** Reads a receipt; `undefined` when there is none, or the node does not answer now. */
export async function readReceipt(rpc: ChainRpc, hash: Hex): Promise<Receipt | undefined> {
  try {
    return (await rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether a transaction did what it was sent for. */
export function hasSucceeded(receipt: Receipt): boolean {
  return receipt.status === '0x1';
}
