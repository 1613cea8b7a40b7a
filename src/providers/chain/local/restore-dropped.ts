import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChainRpc } from '../chain-rpc.ts';
import type { Relayer } from '../relayer.ts';
import type { RawJournal } from './raw-journal.ts';

/** The dependencies of the comparison between node and journal. */
export interface RestoreDeps {
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  /** Address of the operator. */
  readonly sender: Hex;
  /** Sends again what the node does not know. @returns How many. */
  readonly replay: (rpc: ChainRpc) => Promise<number>;
}

const MINED_TRIES = 100;
const MINED_EVERY_MS = 20;

/**
 * Restores transactions that a running node has dropped. Anyone who reaches the node can roll it
 * back or make it reorganise, and a receipt that was returned must stay true.
 *
 * @returns How many transactions were sent again.
 */
export async function restoreDropped(parts: RestoreDeps): Promise<number> {
  const { relayer, replay, rpc, sender } = parts;
  if (!(await isBehind(parts))) return 0;
  const resume = await relayer.pause();
  try {
    await waitUntilMined(rpc, sender);
    if (!(await isBehind(parts))) return 0;
    const sent = await replay(rpc);
    relayer.resetNonce();
    return sent;
  } finally {
    resume();
  }
}

/** Waits briefly until every transaction that the node received is in a block. */
export async function waitUntilMined(rpc: ChainRpc, sender: Hex): Promise<void> {
  for (let tries = 0; tries < MINED_TRIES; tries += 1) {
    const [latest, pending] = await Promise.all(
      ['latest', 'pending'].map((tag) => readNonce(rpc, sender, tag)),
    );
    if (latest === pending) return;
    await sleep(MINED_EVERY_MS);
  }
}

async function isBehind({ rpc, journal, sender }: RestoreDeps): Promise<boolean> {
  const last = journal.rows().findLast(({ from }) => from === undefined);
  return last !== undefined && (await readNonce(rpc, sender, 'latest')) <= last.nonce;
}

async function readNonce(rpc: ChainRpc, sender: Hex, tag: string): Promise<number> {
  return Number(await rpc.call<Hex>('eth_getTransactionCount', [sender, tag]));
}
