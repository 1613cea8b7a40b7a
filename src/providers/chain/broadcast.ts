import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { toAppError } from '../../domain/common/error.ts';
import type { ChainRpc, RpcRefusal } from './chain-rpc.ts';
import type { RawJournal, RawTransaction } from './local/raw-journal.ts';
import { classifyNodeError, type NodeError } from './node-error.ts';

/**
 * What became of sending a signed transaction:
 *
 * - `sent`: a node has it.
 * - `nonce_taken`: another transaction holds its nonce, so that it is not on its way.
 * - `nonce_ahead`: the node takes none behind a gap, so that it is not on its way.
 * - `unsent`: it is not on its way for want of money for gas.
 * - `unknown`: it may be on its way.
 */
export type Broadcast =
  | { readonly state: 'sent' }
  | { readonly state: 'nonce_taken' }
  | { readonly state: 'nonce_ahead' }
  | { readonly state: 'unsent'; readonly detail: string }
  | { readonly state: 'unknown'; readonly detail: string };

/** What error answers say of a sent transaction; the others say nothing. */
const VERDICTS: Partial<
  Record<NodeError, 'sent' | 'nonce_used' | 'nonce_taken' | 'nonce_ahead' | 'unsent'>
> = {
  known: 'sent',
  nonce_used: 'nonce_used',
  nonce_taken: 'nonce_taken',
  nonce_ahead: 'nonce_ahead',
  unpaid: 'unsent',
};

/** Pauses before the same bytes are sent again, in milliseconds. */
const PAUSES_MS = [100, 300] as const;

/**
 * Sends a signed transaction that stands in the journal. The same bytes can be sent again without
 * harm: a chain carries them out once. So an answer that says nothing is followed by another try,
 * and what the first try may have brought is never taken for refused.
 */
export async function broadcast(
  rpc: ChainRpc,
  row: RawTransaction,
  journal: Pick<RawJournal, 'rows'>,
): Promise<Broadcast> {
  let detail = '';
  for (const pauseMs of [0, ...PAUSES_MS]) {
    if (pauseMs > 0) await sleep(pauseMs);
    try {
      const answer = await rpc.ask<Hex>('eth_sendRawTransaction', [row.raw]);
      if (answer.ok) return { state: 'sent' };
      const isFirst = pauseMs === 0;
      const found = await judge({ rpc, row, journal, isFirst }, answer.refusal);
      if (found !== undefined) return found;
      detail = describe(answer.refusal);
    } catch (thrown) {
      detail = toAppError(thrown).message;
    }
  }
  return { state: 'unknown', detail };
}

interface Attempt {
  readonly rpc: ChainRpc;
  readonly row: RawTransaction;
  readonly journal: Pick<RawJournal, 'rows'>;
  readonly isFirst: boolean;
}

/** What a refusal means for the transaction; nothing where it has to be sent again. */
async function judge(
  { rpc, row, journal, isFirst }: Attempt,
  refusal: RpcRefusal,
): Promise<Broadcast | undefined> {
  const verdict = VERDICTS[classifyNodeError(refusal)];
  if (verdict === undefined) return undefined;
  if (verdict === 'sent' || (await isKnown(rpc, row))) return { state: 'sent' };
  const detail = describe(refusal);
  // After a try without an answer, what stands in its way may be the transaction itself.
  const isSure = verdict === 'nonce_used' ? await isReplaced(rpc, row, journal) : isFirst;
  if (!isSure) return { state: 'unknown', detail };
  if (verdict === 'unsent') return { state: 'unsent', detail };
  return { state: verdict === 'nonce_used' ? 'nonce_taken' : verdict };
}

function describe({ message }: RpcRefusal): string {
  return `the node answered: ${message}`;
}

/** Whether another transaction of ours with the same nonce is in a block. */
export async function isReplaced(
  rpc: ChainRpc,
  row: RawTransaction,
  journal: Pick<RawJournal, 'rows'>,
): Promise<boolean> {
  const others = journal
    .rows()
    .filter(
      ({ nonce, hash, from }) => nonce === row.nonce && hash !== row.hash && from === row.from,
    );
  for (const { hash } of others) {
    if ((await rpc.call<unknown>('eth_getTransactionReceipt', [hash])) !== null) return true;
  }
  return false;
}

/** Whether the node that is asked knows it by now; another one may not yet. */
async function isKnown(rpc: ChainRpc, { hash }: RawTransaction): Promise<boolean> {
  return (await rpc.call<unknown>('eth_getTransactionByHash', [hash])) !== null;
}
