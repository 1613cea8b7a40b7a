import { numberToHex } from 'viem/utils';
import { gasSpent, hasSucceeded, type Receipt } from '../payment/receipts.ts';
import { broadcast, isReplaced } from './broadcast.ts';
import type { OpenChain } from './local/local-chain.ts';
import type { RawTransaction } from './local/raw-journal.ts';

/** What an earlier transaction of the same name has done, or may still do. */
export type Earlier =
  | { readonly state: 'none' }
  | { readonly state: 'in_block' | 'under_way'; readonly row: RawTransaction };

type Parts = Pick<
  OpenChain,
  'rpc' | 'journal' | 'gas' | 'accounts' | 'confirmations' | 'relayer' | 'isLocal'
>;

/**
 * Finds what the transactions of a name have come to, newest first. One that no block has is sent
 * again as it was signed, since a chain carries the same bytes out once; another transaction may
 * take its place only once its nonce was used by something else, in a block that is deep enough.
 *
 * @param isRepeatable - What it did before counts for nothing; only what is under way does.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function findEarlier(
  chain: Parts,
  name: string,
  isRepeatable = false,
): Promise<Earlier> {
  const { journal, rpc, gas } = chain;
  if (journal.hashesOf(name).length === 0) return { state: 'none' };
  const rows = journal.rows().filter(({ key, from }) => key === name && from === undefined);
  for (const row of rows.toReversed()) {
    const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [row.hash]);
    if (receipt !== null) {
      if (hasSucceeded(receipt) && !isRepeatable) return { state: 'in_block', row };
      gas.settle(name, gasSpent(receipt));
      continue;
    }
    const known = await rpc.call<unknown>('eth_getTransactionByHash', [row.hash]);
    if (known !== null) return { state: 'under_way', row };
    if (await isDead(chain, row)) continue;
    const { state } = await broadcast(rpc, row, journal);
    if (state === 'nonce_taken' && (await isReplaced(rpc, row, journal))) continue;
    // Wherever it went, the nonces that were counted on may be others.
    chain.relayer.forgetNonce();
    return { state: 'under_way', row };
  }
  return { state: 'none' };
}

/** Whether its nonce is used up to a block that is deep enough, and not by it. */
async function isDead({ rpc, accounts, confirmations }: Parts, row: RawTransaction) {
  const head = Number(await rpc.call<`0x${string}`>('eth_blockNumber', []));
  const block = numberToHex(Math.max(0, head - confirmations + 1));
  const params = [accounts.operator.address, block];
  const count = await rpc.ask<`0x${string}`>('eth_getTransactionCount', params);
  // A node that has forgotten the state of that block says nothing of the transaction.
  if (!count.ok || Number(count.result) <= row.nonce) return false;
  // Asked again behind the count: a node that was behind it a moment ago is no witness.
  return (await rpc.call<unknown>('eth_getTransactionReceipt', [row.hash])) === null;
}
