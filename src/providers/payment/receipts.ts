import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChainRpc } from '../chain/chain-rpc.ts';
import type { GasResult } from '../chain/trust/gas-meter.ts';

/** A log of a receipt, in the form that nodes return. */
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
  /** Fee of a layer-2 chain for its first layer, in wei. */
  readonly l1Fee?: Hex;
  readonly logs: readonly ChainLog[];
}

/** How often and how long to poll for receipts, in milliseconds. */
export interface ReceiptPatience {
  /** The longest pause between two polls. */
  readonly everyMs: number;
  /** The first pause, from which later ones grow. Default: `everyMs`. */
  readonly firstMs?: number;
  readonly totalMs: number;
}

/** Growth of pauses: a receipt is noticed within a tenth of the time waited. */
const PAUSE_GROWTH = 1.1;

/**
 * Returns the pause after one of `pauseMs`. Pauses grow with the time waited, so that a fast chain
 * is not delayed and a slow one is not polled too often.
 */
export function nextPause(pauseMs: number, everyMs: number): number {
  return Math.min(everyMs, pauseMs * PAUSE_GROWTH);
}

/**
 * Waits for a transaction to be in a block.
 *
 * @returns `undefined` after a timeout, which proves nothing about later.
 */
export async function awaitReceipt(
  rpc: ChainRpc,
  hash: Hex,
  patience: ReceiptPatience,
): Promise<Receipt | undefined> {
  return awaitConfirmed(rpc, hash, { ...patience, confirmations: 1 });
}

/**
 * Returns whether a receipt's block has enough confirmations, its own included, and is still on the
 * chain. With one confirmation it asks nothing.
 */
export async function hasConfirmations(
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
 * Waits for a transaction to be in a block that is deep enough. If it leaves its block, the wait
 * continues.
 *
 * @returns `undefined` after a timeout, which proves nothing about later.
 */
export async function awaitConfirmed(
  rpc: ChainRpc,
  hash: Hex,
  patience: ReceiptPatience & { readonly confirmations: number },
): Promise<Receipt | undefined> {
  const { everyMs, firstMs = everyMs, totalMs, confirmations } = patience;
  const deadline = performance.now() + totalMs;
  for (let pauseMs = firstMs; ; pauseMs = nextPause(pauseMs, everyMs)) {
    const receipt = await readReceipt(rpc, hash);
    const isDone = receipt !== undefined && (await hasConfirmations(rpc, receipt, confirmations));
    if (isDone) return receipt;
    if (performance.now() + pauseMs > deadline) return undefined;
    await sleep(pauseMs);
  }
}

/** Reads a receipt. Returns `undefined` if there is none, or if the node does not answer. */
export async function readReceipt(rpc: ChainRpc, hash: Hex): Promise<Receipt | undefined> {
  try {
    return (await rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns a transaction's gas and cost, including a layer-2 chain's fee for its first layer. */
export function toGasResult(receipt: Receipt): GasResult {
  const { gasUsed = '0x0', effectiveGasPrice = '0x0', l1Fee = '0x0' } = receipt;
  return {
    gas: Number(gasUsed),
    wei: BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee),
    end: hasSucceeded(receipt) ? 'spent' : 'failed',
  };
}

/** Returns whether a transaction succeeded. */
export function hasSucceeded(receipt: Receipt): boolean {
  return receipt.status === '0x1';
}
