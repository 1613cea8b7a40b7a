import type { Hex } from 'viem';
import { encodeEventTopics } from 'viem/utils';
import type { EscrowLog } from '../../../domain/chain/trust-chain.ts';
import { ESCROW_ABI } from './abi.ts';
import type { Called } from './caller.ts';
import { readLog } from './log-reader.ts';
import { type LogPlace, logSpans } from './log-spans.ts';

/** Ranges that are searched, newest first: about a day of 2-second blocks. */
const LOG_SPANS_MAX = 5;

/** Finds the confirmed call that emitted a log of a job. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function findLog(
  parts: LogPlace,
  names: readonly EscrowLog['event']['name'][],
  key: Hex,
  fits: (log: EscrowLog) => boolean = () => true,
): Promise<Called | undefined> {
  const kinds = names.map((eventName) => encodeEventTopics({ abi: ESCROW_ABI, eventName })[0]);
  const search = { topics: [kinds, key], spansMax: LOG_SPANS_MAX };
  for await (const logs of logSpans(parts, search)) {
    const found = logs.find((raw) => {
      const log = readLog(raw, 0);
      return log !== undefined && fits(log);
    });
    if (found === undefined) continue;
    const { transactionHash: transaction, blockNumber } = found;
    return { state: 'done', transaction, block: Number(blockNumber), receipt: null };
  }
  return undefined;
}
