import type { Hex } from 'viem';
import { encodeEventTopics } from 'viem/utils';
import type { EscrowLog } from '../../../domain/chain/trust-chain.ts';
import { ESCROW_ABI } from './abi.ts';
import type { CallResult } from './caller.ts';
import { type LogSource, readLogRanges } from './log-ranges.ts';
import { decodeLog } from './log-reader.ts';

/** Ranges that are searched, newest first: about a day of 2-second blocks. */
const LOG_RANGES_MAX = 5;

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
