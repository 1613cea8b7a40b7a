import type { Hex } from 'viem';
import type { OpenChain } from './local/local-chain.ts';
import { gasBudget } from './trust/gas-budgets.ts';

/** Nonces that are filled at once. */
const GAP_MAX = 16;

/**
 * Fills nonces before a transaction that nothing waits on any more, with calls that do nothing:
 * what stood there has left the chain, and the transaction would wait for ever.
 */
export async function fillGap(chain: OpenChain, hash: Hex): Promise<void> {
  const { rpc, relayer, accounts, finality } = chain;
  // What was told as done and is gone stands there again by itself, once two looks have missed it.
  await finality.look();
  await finality.look();
  const { address } = accounts.operator;
  const nonce = await pendingNonce(chain, hash);
  const next = Number(await rpc.call<Hex>('eth_getTransactionCount', [address, 'pending']));
  const missing = Math.min(GAP_MAX, Math.max(0, (nonce ?? next) - next));
  const { maxFeePerGas } = await chain.fees();
  // A call that does nothing still carries the mark of its relayer.
  const { gasPerCall } = gasBudget('nonces');
  for (let filled = 0; filled < missing; filled += 1) {
    relayer.forgetNonce();
    const cost = { gas: gasPerCall, wei: BigInt(gasPerCall) * maxFeePerGas };
    const name = `gap:${next + filled}`;
    if (chain.gas.hold({ name, purpose: 'nonces', ...cost }) !== undefined) return;
    await relayer.send({ to: address, data: '0x', gas: BigInt(gasPerCall) });
  }
}

/** The nonce of a transaction that the node knows. */
async function pendingNonce({ rpc }: OpenChain, hash: Hex): Promise<number | undefined> {
  const found = await rpc.call<{ readonly nonce: Hex } | null>('eth_getTransactionByHash', [hash]);
  return found === null ? undefined : Number(found.nonce);
}
