import type { Hex } from 'viem';
import { encodeEventTopics, numberToHex, pad } from 'viem/utils';
import type { OpenChain } from '../chain/open-chain.ts';
import { isSameAddress } from './local-check.ts';
import type { ChainLog } from './receipts.ts';
import { TOKEN_ABI } from './token-abi.ts';

/** Blocks per log query. Public nodes reject much larger ranges. */
const LOG_RANGE_BLOCKS = 9_000n;
/** Ranges that are searched, newest first: about a day of 2-second blocks. */
const LOG_RANGES_MAX = 5;
/** Most payments per range that are checked, newest first. */
const PAYMENTS_MAX = 200;

/**
 * Finds a payment to the treasury that its operator settled but this data directory does not know.
 * It means that another server sells for the same treasury. Searches about one day.
 *
 * @returns Its transaction.
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function findForeignSale(chain: OpenChain): Promise<Hex | undefined> {
  const { rpc, token, accounts } = chain;
  let to = BigInt(await rpc.call<Hex>('eth_blockNumber', []));
  for (let span = 0; span < LOG_RANGES_MAX && to >= 0n; span += 1) {
    const from = to > LOG_RANGE_BLOCKS ? to - LOG_RANGE_BLOCKS : 0n;
    const logs = await rpc.call<readonly ChainLog[]>('eth_getLogs', [
      {
        address: token,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
        topics: [TRANSFER_TOPIC, null, pad(accounts.treasury.address.toLowerCase() as Hex)],
      },
    ]);
    const found = await findUnknownPayment(chain, logs);
    if (found !== undefined) return found;
    to = from - 1n;
  }
  return undefined;
}

async function findUnknownPayment(
  { rpc, accounts, journal }: OpenChain,
  logs: readonly ChainLog[],
): Promise<Hex | undefined> {
  const known = new Set<string>(journal.rows().map(({ hash }) => hash));
  const hashes = new Set(logs.map(({ transactionHash }) => transactionHash).toReversed());
  for (const hash of [...hashes].slice(0, PAYMENTS_MAX)) {
    if (known.has(hash)) continue;
    const sent = await rpc.call<{ readonly from: Hex } | null>('eth_getTransactionByHash', [hash]);
    if (sent !== null && isSameAddress(sent.from, accounts.operator.address)) return hash;
  }
  return undefined;
}

const [TRANSFER_TOPIC] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'Transfer' });
