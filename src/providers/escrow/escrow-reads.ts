import type { Hex } from 'viem';
import { encodeEventTopics } from 'viem/utils';
import type { EscrowedJob, EscrowLog } from '../../domain/chain/trust-chain.ts';
import { ESCROW_STATES } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import type { ChainFacts } from '../../domain/payment/payment-chain.ts';
import { ESCROW_ABI } from '../chain/trust/abi.ts';
import type { CallResult } from '../chain/trust/caller.ts';
import type { LogSource } from '../chain/trust/log-ranges.ts';
import { readLogRanges } from '../chain/trust/log-ranges.ts';
import { decodeLog, readLogs } from '../chain/trust/log-reader.ts';
import { callRequiredView, callView } from '../chain/trust/view.ts';
import { TOKEN_ABI } from '../payment/token-abi.ts';
import { UNDECIDED_REFUND_S } from './escrow-encoding.ts';

/** How often holdings are read again if a new block arrives in between. */
const TRIES_MAX = 8;
/** Ranges that are searched, newest first: about a day of 2-second blocks. */
const LOG_RANGES_MAX = 5;

interface ChainJob {
  readonly buyer: string;
  readonly state: number;
  readonly fulfilBy: number;
  readonly provider: string;
  readonly releaseBy: number;
  readonly disputedAt: number;
  readonly amount: bigint;
  readonly deliverable: string;
}

/** Reads a job as the contract has it. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readJob({ chain, address }: LogSource, key: string): Promise<EscrowedJob> {
  const view = { to: address(), abi: ESCROW_ABI, name: 'jobs', args: [key] };
  const job = await callRequiredView<ChainJob>(chain.rpc, view);
  const state = ESCROW_STATES[job.state];
  if (state === undefined) throw new AppError('CONFIG_INVALID', { data: { state: job.state } });
  return {
    state,
    buyer: job.buyer.toLowerCase(),
    provider: job.provider.toLowerCase(),
    amount: job.amount.toString(),
    fulfilByS: job.fulfilBy,
    releaseByS: job.releaseBy,
    disputedAtS: job.disputedAt,
    undecidedRefundS: 0,
    deliverable: job.deliverable,
  };
}

/** Adds the time at which an undecided dispute is refunded. From version 2 on there is none. */
export async function withUndecidedRefund(
  job: EscrowedJob,
  versionOf: () => Promise<number>,
): Promise<EscrowedJob> {
  if (job.state !== 'disputed' || (await versionOf()) > 1) return job;
  return { ...job, undecidedRefundS: job.disputedAtS + UNDECIDED_REFUND_S };
}

/** Reads the confirmed logs from a block on. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readLogsFrom(parts: LogSource, fromBlock: number) {
  const { chain, address, firstBlock } = parts;
  const reader = { rpc: chain.rpc, escrow: address(), confirmations: chain.confirmations };
  const logs: EscrowLog[] = [];
  let next = Math.max(fromBlock, firstBlock);
  for (;;) {
    const read = await readLogs(reader, next);
    logs.push(...read.logs);
    if (read.upTo < next) return { logs, upTo: next - 1 };
    next = read.upTo + 1;
  }
}

/**
 * Creates the reader of an escrow's version. The first version has no such function, so a revert
 * means version 1. It calls the contract once.
 */
export function createVersionReader({ chain, address }: LogSource): () => Promise<number> {
  let known: number | undefined;
  return async () => {
    const view = { to: address(), abi: ESCROW_ABI, name: 'version' };
    known ??= (await callView<number>(chain.rpc, view)) ?? 1;
    return known;
  };
}

/** Reads the amount that the escrow could not send to a party, in micro-dollars. */
export async function readOwed({ chain, address }: LogSource, party: string): Promise<string> {
  const view = { to: address(), abi: ESCROW_ABI, name: 'owed', args: [party] };
  return `${await callRequiredView<bigint>(chain.rpc, view)}`;
}

/** Reads the holdings of the escrow as of one block. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readHoldings({
  chain,
  facts,
  address,
}: LogSource & { readonly facts: ChainFacts }) {
  const { rpc } = chain;
  const escrow = { to: address(), abi: ESCROW_ABI };
  const token = { to: facts.token as Hex, abi: TOKEN_ABI };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // In one request, which a node answers in order.
    const [before, balance, held, owed, after] = await Promise.all([
      rpc.call<Hex>('eth_blockNumber', []),
      callRequiredView<bigint>(rpc, { ...token, name: 'balanceOf', args: [address()] }),
      callRequiredView<bigint>(rpc, { ...escrow, name: 'held' }),
      callRequiredView<bigint>(rpc, { ...escrow, name: 'owedTotal' }),
      rpc.call<Hex>('eth_blockNumber', []),
    ]);
    if (before !== after) continue;
    return {
      block: Number(before),
      balance: `${balance}`,
      held: `${held}`,
      owed: `${owed}`,
      unaccounted: `${balance - held - owed}`,
    };
  }
  throw new AppError('CHAIN_UNAVAILABLE', { message: 'A new block interrupted every read.' });
}

/** Finds the confirmed call that emitted a log of a job. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function findLog(
  parts: LogSource,
  names: readonly EscrowLog['event']['name'][],
  key: Hex,
  matches: (log: EscrowLog) => boolean = () => true,
): Promise<CallResult | undefined> {
  const eventTopics = names.map(
    (eventName) => encodeEventTopics({ abi: ESCROW_ABI, eventName })[0],
  );
  const search = { topics: [eventTopics, key], spansMax: LOG_RANGES_MAX };
  for await (const logs of readLogRanges(parts, search)) {
    const found = logs.find((raw) => {
      const log = decodeLog(raw, 0);
      return log !== undefined && matches(log);
    });
    if (found === undefined) continue;
    const { transactionHash: transaction, blockNumber } = found;
    return { state: 'done', transaction, block: Number(blockNumber), receipt: null };
  }
  return undefined;
}
