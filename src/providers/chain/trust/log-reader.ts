import type { Hex } from 'viem';
import { decodeEventLog, numberToHex } from 'viem/utils';
import type { EscrowLog } from '../../../domain/chain/trust-chain.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { ESCROW_ABI } from './abi.ts';

/** The dependencies of a log reader. */
export interface LogReaderParts {
  readonly rpc: ChainRpc;
  readonly escrow: Hex;
  /** Blocks that a log must have, its own included. */
  readonly confirmations: number;
}

/** The logs of a block range. */
export interface ReadLogs {
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
export const LOG_SPAN = 9_000;

/**
 * Reads the confirmed logs of the escrow from a block on, at most one range. A log counts only if
 * its block is on the chain at the required depth. If nodes disagree or the chain is reorganised
 * meanwhile, it returns no logs.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function readLogs(parts: LogReaderParts, fromBlock: number): Promise<ReadLogs> {
  const { rpc, confirmations } = parts;
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  const upTo = Math.min(head - (confirmations - 1), fromBlock + LOG_SPAN - 1);
  const nothing = { logs: [], upTo: fromBlock - 1, upToHash: undefined };
  if (upTo < fromBlock) return nothing;
  // In one request, so that one node answers all of it. A node that lags behind has no such block.
  const [last, raw, after] = await Promise.all([
    blockAt(rpc, upTo),
    rpc.call<readonly RawLog[]>('eth_getLogs', [
      {
        address: parts.escrow,
        fromBlock: numberToHex(fromBlock),
        toBlock: numberToHex(upTo),
      },
    ]),
    blockAt(rpc, upTo),
  ]);
  if (last === null || after?.hash !== last.hash) return nothing;
  const heights = [...new Set(raw.map(({ blockNumber }) => Number(blockNumber)))];
  const [blocks, again] = await Promise.all([
    Promise.all(heights.map((height) => blockAt(rpc, height))),
    blockAt(rpc, upTo),
  ]);
  if (again?.hash !== last.hash) return nothing;
  const byHeight = new Map(heights.map((height, index) => [height, blocks[index] ?? null]));
  const isCanonical = raw.every(
    ({ blockNumber, blockHash }) => byHeight.get(Number(blockNumber))?.hash === blockHash,
  );
  if (!isCanonical) return nothing;
  const owed = owedEnds(raw);
  const logs = raw.flatMap((log) => {
    const read = readLog(log, Number(byHeight.get(Number(log.blockNumber))?.timestamp));
    if (read === undefined) return [];
    return [owed.has(log) ? { ...read, event: { ...read.event, isOwed: true } as Ended } : read];
  });
  return { logs, upTo, upToHash: last.hash };
}

type Ended = Extract<EscrowLog['event'], { readonly name: 'JobReleased' | 'JobRefunded' }>;

/** Finds the payouts that the token blocked: the escrow has owed the money since. */
function owedEnds(raw: readonly RawLog[]): ReadonlySet<RawLog> {
  const found = new Set<RawLog>();
  let end: { readonly log: RawLog; readonly party: string; readonly amount: bigint } | undefined;
  for (const log of raw) {
    const said = decode(log.topics, log.data);
    if (said?.eventName === 'JobReleased') {
      end = { log, party: said.args.provider, amount: said.args.net };
    } else if (said?.eventName === 'JobRefunded') {
      end = { log, party: said.args.buyer, amount: said.args.amount };
    } else if (said?.eventName === 'Owed' && end?.log.transactionHash === log.transactionHash) {
      const { party, amount } = said.args;
      if (party === end.party && amount === end.amount) found.add(end.log);
    }
  }
  return found;
}

/** Reads a block's hash and time, or `null` if there is no such block. */
export function blockAt(rpc: ChainRpc, height: number): Promise<Block | null> {
  return rpc.call<Block | null>('eth_getBlockByNumber', [numberToHex(height), false]);
}

/** Decodes a log of the escrow. Returns `undefined` if it is not about the progress of a job. */
export function readLog(log: RawLog, atS: number): EscrowLog | undefined {
  const event = eventOf(log);
  if (event === undefined) return undefined;
  const key = log.topics[1] ?? '0x';
  return {
    ...{ key, event, atS, transaction: log.transactionHash, blockHash: log.blockHash },
    ...{ block: Number(log.blockNumber), logIndex: Number(log.logIndex) },
  };
}

function eventOf({ topics, data }: RawLog): EscrowLog['event'] | undefined {
  const log = decode(topics, data);
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

function decode(topics: RawLog['topics'], data: Hex) {
  try {
    return decodeEventLog({ abi: ESCROW_ABI, topics, data });
  } catch {
    return undefined;
  }
}
