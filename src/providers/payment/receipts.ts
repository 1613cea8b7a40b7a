import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChainRpc } from '../chain/chain-rpc.ts';
import type { GasSpent } from '../chain/trust/gas-meter.ts';

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
  readonly gasUsed?: Hex;
  /** In wei. */
  readonly effectiveGasPrice?: Hex;
  /** What a layer-2 chain took for its first layer, in wei. */
  readonly l1Fee?: Hex;
  readonly logs: readonly ChainLog[];
}

/** How often and how long receipts are asked for, in milliseconds. */
export interface ReceiptPatience {
  /** The longest pause between two questions. */
  readonly everyMs: number;
  /** The first pause, from which later ones grow; `everyMs` when absent. */
  readonly firstMs?: number;
  readonly totalMs: number;
}

/** Each pause to the one before it: the end of a wait is noticed within a tenth of its length. */
const PAUSE_GROWTH = 1.1;

/**
 * The pause after one of `pauseMs`. Pauses grow with the time that has been waited: a quick chain
 * is not held up, and a slow one is not asked more than it needs.
 */
export function longerPause(pauseMs: number, everyMs: number): number {
  return Math.min(everyMs, pauseMs * PAUSE_GROWTH);
}

/**
 * Waits for a transaction to be in a block.
 *
 * @returns `undefined` when it is not within the time, which says nothing about later.
 */
export async function awaitReceipt(
  rpc: ChainRpc,
  hash: Hex,
  patience: ReceiptPatience,
): Promise<Receipt | undefined> {
  return awaitConfirmed(rpc, hash, { ...patience, confirmations: 1 });
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
  patience: ReceiptPatience & { readonly confirmations: number },
): Promise<Receipt | undefined> {
  const { everyMs, firstMs = everyMs, totalMs, confirmations } = patience;
  const deadline = performance.now() + totalMs;
  for (let pauseMs = firstMs; ; pauseMs = longerPause(pauseMs, everyMs)) {
    const receipt = await readReceipt(rpc, hash);
    const isDone = receipt !== undefined && (await isDeep(rpc, receipt, confirmations));
    if (isDone) return receipt;
    if (performance.now() + pauseMs > deadline) return undefined;
    await sleep(pauseMs);
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

/** What a transaction has used and cost, with what a layer-2 chain takes for its first layer. */
export function gasSpent(receipt: Receipt): GasSpent {
  const { gasUsed = '0x0', effectiveGasPrice = '0x0', l1Fee = '0x0' } = receipt;
  return {
    gas: Number(gasUsed),
    wei: BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee),
    end: hasSucceeded(receipt) ? 'spent' : 'failed',
  };
}

/** Tells whether a transaction did what it was sent for. */
export function hasSucceeded(receipt: Receipt): boolean {
  return receipt.status === '0x1';
}
