import type { Hex } from 'viem';
import { numberToHex } from 'viem/utils';
import type { OpenChain } from '../open-chain.ts';
import { LOG_RANGE_BLOCKS, type RawLog } from './log-reader.ts';

/** The contract and chain whose logs are searched. */
export interface LogSource {
  readonly chain: OpenChain;
  /** @throws {AppError} `NOT_CONFIGURED` where there is none */
  readonly address: () => Hex;
  /** The first block that can hold a log of our contracts. */
  readonly firstBlock: number;
}

/** The log topics, and the most block ranges to search. */
export interface LogSearch {
  readonly topics: readonly unknown[];
  readonly spansMax: number;
}

/**
 * Yields confirmed logs by block range, from the newest range back. Logs in a range are oldest
 * first.
 */
export async function* readLogRanges(
  { chain, address, firstBlock }: LogSource,
  { topics, spansMax }: LogSearch,
): AsyncIterable<readonly RawLog[]> {
  const head = Number(await chain.rpc.call<Hex>('eth_blockNumber', []));
  let to = head - (chain.confirmations - 1);
  for (let span = 0; span < spansMax && to >= firstBlock; span += 1) {
    const from = Math.max(firstBlock, to - LOG_RANGE_BLOCKS + 1);
    const [fromBlock, toBlock] = [numberToHex(from), numberToHex(to)];
    const filter = { address: address(), fromBlock, toBlock, topics };
    yield await chain.rpc.call<readonly RawLog[]>('eth_getLogs', [filter]);
    to = from - 1;
  }
}
