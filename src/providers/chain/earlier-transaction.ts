import { numberToHex } from 'viem/utils';
import { hasSucceeded, type Receipt, toGasResult } from '../payment/receipts.ts';
import { broadcast, isReplaced } from './broadcast.ts';
import type { RawTransaction } from './local/raw-journal.ts';
import type { OpenChain } from './open-chain.ts';

/** The state of an earlier transaction with the same name. */
export type EarlierTransaction =
  | { readonly state: 'none' }
  | { readonly state: 'in_block' | 'under_way'; readonly row: RawTransaction };

type EarlierDeps = Pick<
  OpenChain,
  'rpc' | 'journal' | 'gas' | 'accounts' | 'confirmations' | 'relayer' | 'isLocal'
>;

/**
 * Finds the state of the transactions with a name, newest first. One that is in no block is sent
 * again with the same bytes, since a chain executes them once. A replacement is allowed only after
 * something else has used the nonce in a block that is deep enough.
 *
 * @param isRepeatable - Ignores transactions that are done; only pending ones count.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function findEarlier(
  chain: EarlierDeps,
  name: string,
  isRepeatable = false,
): Promise<EarlierTransaction> {
  const { journal, rpc, gas } = chain;
  if (journal.hashesOf(name).length === 0) return { state: 'none' };
  const rows = journal.rows().filter(({ key, from }) => key === name && from === undefined);
  for (const row of rows.toReversed()) {
    const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [row.hash]);
    if (receipt !== null) {
      if (hasSucceeded(receipt) && !isRepeatable) return { state: 'in_block', row };
      gas.settle(name, toGasResult(receipt));
      continue;
    }
    const known = await rpc.call<unknown>('eth_getTransactionByHash', [row.hash]);
    if (known !== null) return { state: 'under_way', row };
    if (await isSuperseded(chain, row)) continue;
    const { state } = await broadcast(rpc, row, journal);
    if (state === 'nonce_taken' && (await isReplaced(rpc, row, journal))) continue;
    // The node may have accepted it after all, so the counted nonces may be wrong.
    chain.relayer.resetNonce();
    return { state: 'under_way', row };
  }
  return { state: 'none' };
}

/** Returns whether another transaction used its nonce in a block that is deep enough. */
async function isSuperseded({ rpc, accounts, confirmations }: EarlierDeps, row: RawTransaction) {
  const head = Number(await rpc.call<`0x${string}`>('eth_blockNumber', []));
  const block = numberToHex(Math.max(0, head - confirmations + 1));
  const params = [accounts.operator.address, block];
  const count = await rpc.ask<`0x${string}`>('eth_getTransactionCount', params);
  // A node that has pruned the state of that block proves nothing about the transaction.
  if (!count.ok || Number(count.result) <= row.nonce) return false;
  // Asked again after the count, because a node that lagged behind it proves nothing.
  return (await rpc.call<unknown>('eth_getTransactionReceipt', [row.hash])) === null;
}
