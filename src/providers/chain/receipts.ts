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
