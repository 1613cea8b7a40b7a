import type { Hex } from 'viem';
import { encodeEventTopics, numberToHex } from 'viem/utils';
import type { EscrowLog } from '../../../domain/ports/trust-chain.ts';
import type { OpenChain } from '../local-chain.ts';
import { ESCROW_ABI } from './abi.ts';
import type { Called } from './caller.ts';
import { LOG_SPAN, type RawLog, readLog } from './log-reader.ts';

/** Spans that are searched, newest first: about a day of two-second blocks. */
const LOG_SPANS_MAX = 5;

/** Finds the confirmed call that left a log about a job. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function findLog(
  parts: { readonly chain: OpenChain; readonly address: () => Hex; readonly firstBlock: number },
  names: readonly EscrowLog['event']['name'][],
  key: Hex,
  fits: (log: EscrowLog) => boolean = () => true,
): Promise<Called | undefined> {
  const { chain, address, firstBlock } = parts;
  const topics = names.map((eventName) => encodeEventTopics({ abi: ESCROW_ABI, eventName })[0]);
  const head = Number(await chain.rpc.call<Hex>('eth_blockNumber', []));
  let to = head - (chain.confirmations - 1);
  for (let span = 0; span < LOG_SPANS_MAX && to >= firstBlock; span += 1) {
    const from = Math.max(firstBlock, to - LOG_SPAN + 1);
    const logs = await chain.rpc.call<readonly RawLog[]>('eth_getLogs', [
      {
        address: address(),
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
        topics: [topics, key],
      },
    ]);
    const found = logs.find((raw) => {
      const log = readLog(raw, 0);
      return log !== undefined && fits(log);
    });
    if (found !== undefined) {
      const { transactionHash: transaction, blockNumber } = found;
      return { state: 'done', transaction, block: Number(blockNumber), receipt: null };
    }
    to = from - 1;
  }
  return undefined;
}
