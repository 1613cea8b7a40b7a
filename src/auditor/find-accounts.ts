import { type Hex, type PublicClient, parseEventLogs, TransactionNotFoundError } from 'viem';
import { AppError } from '../domain/common/error.ts';
import {
  ABI,
  BLOCK_SPAN_MAX,
  type BookAccounts,
  type ParsedLog,
  readAccounts,
  runNodeQuery,
  toLowerAddress,
} from './chain-books.ts';
import type { Claim } from './event-claims.ts';

const JOB_ESCROWED_EVENT = ABI[2];

/**
 * Finds the accounts from the transactions in the feed: the escrow that emits job events, or the
 * token and payee of payments. Third parties may submit transactions through contracts with the
 * same events, so the account in most transactions wins.
 */
export async function findAccounts(
  node: PublicClient,
  named: { readonly jobs: readonly Claim[]; readonly payments: readonly Claim[] },
): Promise<BookAccounts | undefined> {
  const jobs = await readClaimLogs(node, named.jobs);
  const escrow =
    pickMostFrequent(jobs.map(({ logs }) => listEscrows(logs))) ??
    (await findEscrowByLogs(node, named.jobs));
  if (escrow !== undefined) return readAccounts(node, escrow);
  const payments = await readClaimLogs(node, named.payments);
  const paid = pickMostFrequent(payments.map(({ claim, logs }) => listPayees(claim, logs)));
  if (paid === undefined) return undefined;
  const [token, treasury] = paid.split(' ') as [Hex, Hex];
  return { token, treasury, escrow: null };
}

/** Returns the name in most transactions; on a tie, the first one. */
function pickMostFrequent<Name extends string>(
  names: readonly ReadonlySet<Name>[],
): Name | undefined {
  const counts = new Map<Name, number>();
  for (const name of names.flatMap((each) => [...each])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

function listEscrows(logs: readonly ParsedLog[]): ReadonlySet<Hex> {
  const jobLogs = logs.filter(({ eventName }) => eventName.startsWith('Job'));
  return new Set(jobLogs.map(({ address }) => toLowerAddress(address)));
}

/** Returns token and payee of the transfers that may be a payment. */
function listPayees({ amount }: Claim, logs: readonly ParsedLog[]): ReadonlySet<string> {
  const used = logs.filter(({ eventName }) => eventName === 'AuthorizationUsed');
  const tokens = new Set(used.map(({ address }) => toLowerAddress(address)));
  const pairs = logs.flatMap((log) =>
    log.eventName === 'Transfer' &&
    log.args.value === amount &&
    tokens.has(toLowerAddress(log.address))
      ? [`${toLowerAddress(log.address)} ${toLowerAddress(log.args.to)}`]
      : [],
  );
  return new Set(pairs);
}

/** Number of transactions whose sender is queried at once. */
const SENDERS_PER_QUERY = 100;

/**
 * Returns the transactions that the escrow's operator did not send. Transactions unknown to the
 * node are skipped.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function findThirdPartySenders(
  node: PublicClient,
  { escrow }: BookAccounts,
  transactions: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (escrow === null || transactions.length === 0) return found;
  const view = { address: escrow, abi: ABI, functionName: 'operator' } as const;
  const operator = toLowerAddress(await runNodeQuery(() => node.readContract(view)));
  for (let at = 0; at < transactions.length; at += SENDERS_PER_QUERY) {
    const hashes = transactions.slice(at, at + SENDERS_PER_QUERY) as readonly Hex[];
    const sent = await Promise.all(hashes.map((hash) => findTransaction(node, hash)));
    for (const one of sent)
      if (one !== undefined && toLowerAddress(one.from) !== operator) found.add(one.hash);
  }
  return found;
}

async function findTransaction(node: PublicClient, hash: Hex) {
  try {
    return await node.getTransaction({ hash });
  } catch (cause) {
    if (cause instanceof TransactionNotFoundError) return undefined;
    throw new AppError('CHAIN_UNAVAILABLE', { cause });
  }
}

/** Returns the events of those transactions that the node knows. */
async function readClaimLogs(node: PublicClient, claims: readonly Claim[]) {
  const found = await Promise.all(
    claims.map(async (claim) => {
      const hash = claim.transaction as Hex;
      const receipt = await node.getTransactionReceipt({ hash }).catch(() => undefined);
      const logs = receipt === undefined ? [] : parseEventLogs({ abi: ABI, logs: receipt.logs });
      return { claim, logs };
    }),
  );
  return found.filter(({ logs }) => logs.length > 0);
}

/** Finds the escrow by its events, for a node that has logs but no receipts. */
async function findEscrowByLogs(
  node: PublicClient,
  claims: readonly Claim[],
): Promise<Hex | undefined> {
  if (claims.length === 0) return undefined;
  const hashes = new Set(claims.map(({ transaction }) => transaction));
  const escrowsByTransaction = new Map<string, Set<Hex>>();
  const head = await runNodeQuery(() => node.getBlockNumber({ cacheTime: 0 }));
  for (let fromBlock = 0n; fromBlock <= head; fromBlock += BLOCK_SPAN_MAX) {
    const toBlock = fromBlock + BLOCK_SPAN_MAX > head ? head : fromBlock + BLOCK_SPAN_MAX - 1n;
    const escrowedLogs = await node
      .getLogs({ event: JOB_ESCROWED_EVENT, fromBlock, toBlock })
      .catch(() => []);
    for (const { transactionHash, address } of escrowedLogs.filter((log) =>
      hashes.has(log.transactionHash),
    )) {
      escrowsByTransaction.set(
        transactionHash,
        (escrowsByTransaction.get(transactionHash) ?? new Set()).add(toLowerAddress(address)),
      );
    }
  }
  return pickMostFrequent([...escrowsByTransaction.values()]);
}
