import type { Hex } from 'viem';
import type { OpenChain } from './open-chain.ts';
import { gasBudget } from './trust/gas-budgets.ts';

/** Most nonces filled in one call. */
const GAP_MAX = 16;

/**
 * Fills the nonce gap before a stranded transaction with empty calls. The transactions that held
 * those nonces have left the chain, so this one would wait forever.
 */
export async function fillGap(chain: OpenChain, hash: Hex): Promise<void> {
  const { rpc, relayer, accounts, finality } = chain;
  // A reported transaction that is gone is sent again on its own after two checks have missed it.
  await finality.recheck();
  await finality.recheck();
  const { address } = accounts.operator;
  const nonce = await pendingNonce(chain, hash);
  const next = Number(await rpc.call<Hex>('eth_getTransactionCount', [address, 'pending']));
  const missing = Math.min(GAP_MAX, Math.max(0, (nonce ?? next) - next));
  const { maxFeePerGas } = await chain.fees();
  // An empty call still carries the relayer's data suffix.
  const { gasPerCall } = gasBudget('nonces');
  for (let filled = 0; filled < missing; filled += 1) {
    relayer.resetNonce();
    const cost = { gas: gasPerCall, wei: BigInt(gasPerCall) * maxFeePerGas };
    const name = `gap:${next + filled}`;
    if (chain.gas.hold({ name, purpose: 'nonces', ...cost }) !== undefined) return;
    await relayer.send({ to: address, data: '0x', gas: BigInt(gasPerCall) });
  }
}

/** Returns the nonce of a transaction, or `undefined` if the node does not know it. */
async function pendingNonce({ rpc }: OpenChain, hash: Hex): Promise<number | undefined> {
  const found = await rpc.call<{ readonly nonce: Hex } | null>('eth_getTransactionByHash', [hash]);
  return found === null ? undefined : Number(found.nonce);
}
