import type { Hex } from 'viem';
import { SECOND_MS } from '../../domain/time.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { RawJournal, RawTransaction } from './raw-journal.ts';
import { awaitReceipt } from './receipts.ts';

const MINED = { everyMs: 5, totalMs: 10_000 };

/**
 * Sends again what a local chain has forgotten: kept transactions whose nonce it does not know.
 * Each block gets the time at which its transaction was made, since an authorization that was
 * valid then may have run out by now.
 *
 * @returns How many were sent.
 */
export async function replayMissing(
  rpc: ChainRpc,
  journal: RawJournal,
  sender: Hex,
  now: () => number,
): Promise<number> {
  const known = Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, 'latest']));
  // A nonce was given twice when the first transaction never arrived: the later one counts.
  const missing = new Map(journal.from(known).map((row) => [row.nonce, row]));
  if (missing.size === 0) return 0;
  for (const row of missing.values()) await send(rpc, row);
  await rpc.call('evm_setTime', [Math.floor(now() / SECOND_MS)]);
  return missing.size;
}

async function send(rpc: ChainRpc, { raw, hash, atS }: RawTransaction): Promise<void> {
  const latest = await rpc.call<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  const timeS = Math.max(atS, Number(latest.timestamp));
  // The first puts the node's clock back, which the second needs; the second makes it exact.
  await rpc.call('evm_setTime', [timeS]);
  await rpc.call('evm_setNextBlockTimestamp', [timeS]);
  // A refusal is no fault: what a node refuses now, it has refused before.
  const answer = await rpc.ask('eth_sendRawTransaction', [raw]);
  // The node answers before it makes the block, and the block takes the time that is set then.
  if (answer.ok) await awaitReceipt(rpc, hash, MINED);
}
