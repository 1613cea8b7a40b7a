import type { Hex } from 'viem';
import { decodeEventLog, numberToHex } from 'viem/utils';
import type { EscrowLog } from '../../../domain/chain/trust-chain.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { ESCROW_ABI } from './abi.ts';

/** The dependencies of a log reader. */
export interface LogReaderDeps {
  readonly rpc: ChainRpc;
  readonly escrow: Hex;
  /** Blocks that a log must have, its own included. */
  readonly confirmations: number;
}

/** The logs of a block range. */
export interface LogRange {
  readonly logs: readonly EscrowLog[];
  /** The last block up to which the logs are complete. */
  readonly upTo: number;
  /** Hash of that block. It shows a later read whether the chain is still the same. */
  readonly upToHash: Hex | undefined;
}

/** A log in the form that nodes return. */
export interface RawLog {
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly logIndex: Hex;
}

interface Block {
  readonly hash: Hex;
  readonly timestamp: Hex;
}

/** Blocks per query. Public nodes reject much larger ranges. */
export const LOG_RANGE_BLOCKS = 9_000;

/**
 * Reads the confirmed logs of the escrow from a block on, at most one range. A log counts only if
 * its block is on the chain at the required depth. If nodes disagree or the chain is reorganised
 * meanwhile, it returns no logs.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function readLogs(parts: LogReaderDeps, fromBlock: number): Promise<LogRange> {
  const { rpc, confirmations } = parts;
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  const upTo = Math.min(head - (confirmations - 1), fromBlock + LOG_RANGE_BLOCKS - 1);
  const empty = { logs: [], upTo: fromBlock - 1, upToHash: undefined };
  if (upTo < fromBlock) return empty;
  // In one request, so that one node answers all of it. A node that lags behind has no such block.
  const [last, raw, lastAgain] = await Promise.all([
    readBlock(rpc, upTo),
    rpc.call<readonly RawLog[]>('eth_getLogs', [
      {
        address: parts.escrow,
        fromBlock: numberToHex(fromBlock),
        toBlock: numberToHex(upTo),
      },
    ]),
    readBlock(rpc, upTo),
  ]);
  if (last === null || lastAgain?.hash !== last.hash) return empty;
  const heights = [...new Set(raw.map(({ blockNumber }) => Number(blockNumber)))];
  const [blocks, lastFinally] = await Promise.all([
    Promise.all(heights.map((height) => readBlock(rpc, height))),
    readBlock(rpc, upTo),
  ]);
  if (lastFinally?.hash !== last.hash) return empty;
  const byHeight = new Map(heights.map((height, index) => [height, blocks[index] ?? null]));
  const isCanonical = raw.every(
    ({ blockNumber, blockHash }) => byHeight.get(Number(blockNumber))?.hash === blockHash,
  );
  if (!isCanonical) return empty;
  const owed = findBlockedPayouts(raw);
  const logs = raw.flatMap((log) => {
    const read = decodeLog(log, Number(byHeight.get(Number(log.blockNumber))?.timestamp));
    if (read === undefined) return [];
    return [
      owed.has(log) ? { ...read, event: { ...read.event, isOwed: true } as PayoutEvent } : read,
    ];
  });
  return { logs, upTo, upToHash: last.hash };
}

type PayoutEvent = Extract<EscrowLog['event'], { readonly name: 'JobReleased' | 'JobRefunded' }>;

/** Finds the payouts that the token blocked: the escrow has owed the money since. */
function findBlockedPayouts(raw: readonly RawLog[]): ReadonlySet<RawLog> {
  const found = new Set<RawLog>();
  let end: { readonly log: RawLog; readonly party: string; readonly amount: bigint } | undefined;
  for (const log of raw) {
    const event = decodeEvent(log.topics, log.data);
    if (event?.eventName === 'JobReleased') {
      end = { log, party: event.args.provider, amount: event.args.net };
    } else if (event?.eventName === 'JobRefunded') {
      end = { log, party: event.args.buyer, amount: event.args.amount };
    } else if (event?.eventName === 'Owed' && end?.log.transactionHash === log.transactionHash) {
      const { party, amount } = event.args;
      if (party === end.party && amount === end.amount) found.add(end.log);
    }
  }
  return found;
}

/** Reads a block's hash and time, or `null` if there is no such block. */
export function readBlock(rpc: ChainRpc, height: number): Promise<Block | null> {
  return rpc.call<Block | null>('eth_getBlockByNumber', [numberToHex(height), false]);
}

/** Decodes a log of the escrow. Returns `undefined` if it is not about the progress of a job. */
export function decodeLog(log: RawLog, atS: number): EscrowLog | undefined {
  const event = toEscrowEvent(log);
  if (event === undefined) return undefined;
  const key = log.topics[1] ?? '0x';
  return {
    key,
    event,
    atS,
    transaction: log.transactionHash,
    blockHash: log.blockHash,
    block: Number(log.blockNumber),
    logIndex: Number(log.logIndex),
  };
}

function toEscrowEvent({ topics, data }: RawLog): EscrowLog['event'] | undefined {
  const log = decodeEvent(topics, data);
  switch (log?.eventName) {
    case 'JobEscrowed':
      return { name: log.eventName, jobId: log.args.jobId, amount: `${log.args.amount}` };
    case 'JobFulfilled': {
      const { deliverable, releaseBy } = log.args;
      return { name: log.eventName, deliverable, releaseByS: releaseBy };
    }
    case 'JobReleased': {
      const { provider, net, fee, isAutomatic } = log.args;
      const shares = { net: `${net}`, fee: `${fee}` };
      return { name: log.eventName, provider: provider.toLowerCase(), ...shares, isAutomatic };
    }
    case 'JobRefunded': {
      const { buyer, amount } = log.args;
      return { name: log.eventName, buyer: buyer.toLowerCase(), amount: `${amount}` };
    }
    case 'JobDisputed':
      return { name: log.eventName, reason: log.args.reason, decideByS: log.args.decideBy };
    case 'DisputeWithdrawn':
      return { name: log.eventName, releaseByS: log.args.releaseBy };
    case 'DisputeDecided': {
      const { isForProvider, verdict } = log.args;
      return { name: log.eventName, isForProvider, verdict };
    }
    case 'OrphanReturned':
    case 'Owed':
    case undefined:
      return undefined;
  }
}

function decodeEvent(topics: RawLog['topics'], data: Hex) {
  try {
    return decodeEventLog({ abi: ESCROW_ABI, topics, data });
  } catch {
    return undefined;
  }
}
