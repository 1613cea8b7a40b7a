import type { Hex } from 'viem';
import type { ChainRpc } from './chain-rpc.ts';

/** The fees that a transaction may pay per unit of gas, in wei. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** How long fees are cached, in milliseconds. */
const CACHE_MS = 5_000;
/** Lets the base fee double before the transaction is in a block. */
const BASE_FEE_FACTOR = 2n;
const TIP_FALLBACK_WEI = 1_000_000n;

/** Returns the fees of a chain where gas is free. */
export async function readFreeFees(): Promise<Fees> {
  return { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
}

/**
 * Creates a reader of fees that queries the chain at most every 5 seconds. viem's
 * `estimateFeesPerGas` needs a transport of its own, without the bounds of `ChainRpc`.
 */
export function createFeeReader(rpc: ChainRpc, now: () => number): () => Promise<Fees> {
  let cached: { readonly fees: Fees; readonly until: number } | undefined;
  return async () => {
    if (cached !== undefined && now() < cached.until) return cached.fees;
    const [block, tip] = await Promise.all([
      rpc.call<{ readonly baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
      rpc.ask<Hex>('eth_maxPriorityFeePerGas', []),
    ]);
    const maxPriorityFeePerGas = tip.ok ? BigInt(tip.result) : TIP_FALLBACK_WEI;
    const base = BigInt(block.baseFeePerGas ?? '0x0');
    const fees = {
      maxFeePerGas: base * BASE_FEE_FACTOR + maxPriorityFeePerGas,
      maxPriorityFeePerGas,
    };
    cached = { fees, until: now() + CACHE_MS };
    return fees;
  };
}
