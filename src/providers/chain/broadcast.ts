import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { toAppError } from '../../domain/common/error.ts';
import type { ChainRpc, RpcRefusal } from './chain-rpc.ts';
import type { RawJournal, RawTransaction } from './local/raw-journal.ts';
import { classifyNodeError, type NodeError } from './node-error.ts';

/**
 * The outcome of sending a signed transaction:
 *
 * - `sent`: a node has it.
 * - `nonce_taken`: another transaction holds its nonce, so it is not pending.
 * - `nonce_ahead`: the node accepts none behind a nonce gap, so it is not pending.
 * - `unsent`: it is not pending because the sender cannot pay for gas.
 * - `unknown`: it may be pending.
 */
export type Broadcast =
  | { readonly state: 'sent' }
  | { readonly state: 'nonce_taken' }
  | { readonly state: 'nonce_ahead' }
  | { readonly state: 'unsent'; readonly detail: string }
  | { readonly state: 'unknown'; readonly detail: string };

/** What a node error proves about a sent transaction. Errors that are not listed prove nothing. */
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
 * Sends a signed transaction that is in the journal. Sending the same bytes again is safe: a chain
 * executes them once. An inconclusive answer is therefore followed by another try, and an earlier
 * try is never assumed to have failed.
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
      const outcome = await interpretRefusal({ rpc, row, journal, isFirst }, answer.refusal);
      if (outcome !== undefined) return outcome;
      detail = describeRefusal(answer.refusal);
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

/** Interprets an error answer. Returns `undefined` if the transaction has to be sent again. */
async function interpretRefusal(
  { rpc, row, journal, isFirst }: Attempt,
  refusal: RpcRefusal,
): Promise<Broadcast | undefined> {
  const verdict = VERDICTS[classifyNodeError(refusal)];
  if (verdict === undefined) return undefined;
  if (verdict === 'sent' || (await isKnown(rpc, row))) return { state: 'sent' };
  const detail = describeRefusal(refusal);
  // After a try without an answer, the conflict may be with this transaction itself.
  const isConclusive = verdict === 'nonce_used' ? await isReplaced(rpc, row, journal) : isFirst;
  if (!isConclusive) return { state: 'unknown', detail };
  if (verdict === 'unsent') return { state: 'unsent', detail };
  return { state: verdict === 'nonce_used' ? 'nonce_taken' : verdict };
}

function describeRefusal({ message }: RpcRefusal): string {
  return `the node answered: ${message}`;
}

/** Returns whether another transaction of ours with the same nonce is in a block. */
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

/** Returns whether the node that answers knows the transaction by now. Other nodes may not yet. */
async function isKnown(rpc: ChainRpc, { hash }: RawTransaction): Promise<boolean> {
  return (await rpc.call<unknown>('eth_getTransactionByHash', [hash])) !== null;
}
