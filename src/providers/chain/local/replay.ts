import type { Hex } from 'viem';
import { SECOND_MS } from '../../../domain/common/time.ts';
import { awaitReceipt } from '../../payment/receipts.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import type { RawTransaction } from './raw-journal.ts';

/** The dependencies of a replay. */
export interface ReplayDeps {
  readonly rpc: ChainRpc;
  /**
   * Returns stored transactions from an operator nonce on, and those of third parties, in order.
   */
  readonly kept: (nonce: number) => readonly RawTransaction[];
  /** Address of the operator. */
  readonly sender: Hex;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

const MINED = { everyMs: 5, totalMs: 10_000 };
/** Transactions per block. A block has capacity for about 300 transfers. */
const BLOCK_ROWS_MAX = 150;

/**
 * Sends stored transactions again whose nonce a local chain does not know. Each block gets the time
 * at which its transactions were signed, because an authorization that was valid then may have
 * expired. The node's clock never stays behind its last block.
 *
 * @returns How many were sent.
 */
export async function replayMissing(parts: ReplayDeps): Promise<number> {
  const { rpc, now } = parts;
  await advanceClock(rpc);
  const missing = await findMissingRows(parts);
  if (missing.length === 0) return 0;
  await rpc.call('evm_setAutomine', [false]);
  try {
    for (const rows of groupIntoBlocks(missing)) await mineBlock(rpc, rows);
  } finally {
    await rpc.call('evm_setAutomine', [true]);
    await rpc.call('evm_setTime', [Math.floor(now() / SECOND_MS)]);
    await advanceClock(rpc);
  }
  return missing.length;
}

/**
 * Sets a node's clock to the time of its last block if it is behind. A node started from a saved
 * state uses the system clock, and time on a chain must never go backwards.
 */
async function advanceClock(rpc: ChainRpc): Promise<void> {
  const latestS = await readBlockTimeS(rpc, 'latest');
  const nextS = await readBlockTimeS(rpc, 'pending');
  if (nextS < latestS) await rpc.call('evm_setTime', [latestS]);
}

async function readBlockTimeS(rpc: ChainRpc, tag: 'latest' | 'pending'): Promise<number> {
  const block = await rpc.call<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [tag, false]);
  return Number(block.timestamp);
}

async function findMissingRows({ rpc, kept, sender }: ReplayDeps): Promise<RawTransaction[]> {
  const known = await readNonce(rpc, sender);
  const rows = kept(known).filter(({ from, nonce }) => from !== undefined || nonce >= known);
  // A nonce was reused if the first transaction never arrived: the later one counts.
  const latest = new Map(rows.map((row) => [`${row.from ?? sender}:${row.nonce}`, row]));
  const missing: RawTransaction[] = [];
  for (const row of latest.values()) {
    const isKnown = row.from !== undefined && (await readNonce(rpc, row.from)) > row.nonce;
    if (!isKnown) missing.push(row);
  }
  return missing;
}

async function readNonce(rpc: ChainRpc, sender: Hex): Promise<number> {
  return Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, 'latest']));
}

/** Starts a new block where the second or the sender changes, so that each is in nonce order. */
function groupIntoBlocks(rows: readonly RawTransaction[]): readonly (readonly RawTransaction[])[] {
  const blocks: RawTransaction[][] = [];
  for (const row of rows) {
    const block = blocks.at(-1);
    const first = block?.[0];
    const fits = first?.atS === row.atS && first.from === row.from;
    if (block !== undefined && fits && block.length < BLOCK_ROWS_MAX) block.push(row);
    else blocks.push([row]);
  }
  return blocks;
}

async function mineBlock(rpc: ChainRpc, rows: readonly RawTransaction[]): Promise<void> {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  // Its sender's other transactions are not stored, so the nonce is set to the one that it needs.
  if (first.from !== undefined) {
    await rpc.call('anvil_setNonce', [first.from, `0x${first.nonce.toString(16)}`]);
  }
  let isAnyAccepted = false;
  for (const { raw } of rows) {
    // A rejection is fine: the node rejected the same transaction before.
    isAnyAccepted = (await rpc.ask('eth_sendRawTransaction', [raw])).ok || isAnyAccepted;
  }
  if (!isAnyAccepted) return;
  const blockS = Math.max(first.atS, await readBlockTimeS(rpc, 'latest'));
  // The first sets the node's clock back, as the second requires. The second makes it exact.
  await rpc.call('evm_setTime', [blockS]);
  await rpc.call('evm_setNextBlockTimestamp', [blockS]);
  await rpc.call('evm_mine', []);
  await awaitReceipt(rpc, last.hash, MINED);
}
