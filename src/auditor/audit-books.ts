import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { AppError } from '../domain/common/error.ts';
import { type BooksBalance, balanceBooks, listUnreportedFundings } from './balance-books.ts';
import {
  type BookAccounts,
  createNodeClient,
  hasAllLogs,
  readAccounts,
  readChainBooks,
} from './chain-books.ts';
import { type Claim, readClaims } from './event-claims.ts';
import { findAccounts, findThirdPartySenders } from './find-accounts.ts';

/** Input of an audit of the books. */
export interface BooksAuditInput {
  readonly rpcUrl: string;
  readonly eventsUrl: string;
  /** Found in the feed and on the chain if absent. */
  readonly escrow?: Hex;
  readonly fromBlock: number;
  /** Maximum lag of the feed behind the chain, in milliseconds. */
  readonly waitMs: number;
}

/** Result of an audit of the books. */
export interface BooksAuditResult extends BooksBalance {
  /** `null` if the feed contains no payments. */
  readonly accounts: BookAccounts | null;
  readonly block: number;
  readonly events: number;
  /** False if the node has pruned blocks, so that the result is incomplete. */
  readonly isWhole: boolean;
  readonly isBalanced: boolean;
}

const RETRY_MS = 500;
/** Maximum number of attempts at a node whose replicas may lack the latest block. */
const READ_ATTEMPTS_MAX = 20;
/**
 * Number of oldest and of latest claims used to find the accounts. Transactions of third parties
 * may also contain events of their own contracts.
 */
const SAMPLED_CLAIMS_MAX = 5;

/**
 * Audits the books from chain logs and the public feed only. It checks that every micro-dollar
 * received was paid out, refunded, kept or is held. It waits for late feed events.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`, `EGRESS_FAILED`
 */
export async function auditBooks(order: BooksAuditInput): Promise<BooksAuditResult> {
  const deadline = performance.now() + order.waitMs;
  for (;;) {
    const audited = await auditOnce(order);
    if (audited.isBalanced || performance.now() >= deadline) return audited;
    await sleep(RETRY_MS);
  }
}

async function auditOnce(order: BooksAuditInput): Promise<BooksAuditResult> {
  const node = createNodeClient(order.rpcUrl);
  const isWhole = order.fromBlock > 0 || (await hasAllLogs(node));
  const firstClaims = await readClaims(order.eventsUrl);
  const accounts = await resolveAccounts(order, firstClaims);
  if (accounts === undefined) return emptyResult(firstClaims, isWhole);
  const books = await readWithRetry(() => readChainBooks(node, accounts, order.fromBlock));
  // Claims are read after the chain, because the feed may lag behind it.
  const claims = await readClaims(order.eventsUrl);
  const knownSeqs = new Set(firstClaims.map(({ seq }) => seq));
  const moved = new Set(books.movements.map(({ transaction }) => transaction));
  // A claim added in between counts only if its chain movement was read.
  const relevantClaims = claims.filter(
    ({ seq, transaction }) => knownSeqs.has(seq) || moved.has(transaction),
  );
  const outside = await findThirdPartySenders(
    node,
    accounts,
    listUnreportedFundings(books, relevantClaims),
  );
  const balance = balanceBooks(books, relevantClaims, outside);
  const isBalanced = isWhole && balance.differences.length === 0;
  return {
    ...balance,
    accounts,
    block: books.head,
    events: claims.length,
    isWhole,
    isBalanced,
  };
}

async function resolveAccounts(
  { rpcUrl, escrow }: BooksAuditInput,
  claims: readonly Claim[],
): Promise<BookAccounts | undefined> {
  const node = createNodeClient(rpcUrl);
  if (escrow !== undefined) return readAccounts(node, escrow);
  const sampleClaims = (fits: (claim: Claim) => boolean): readonly Claim[] => {
    const fitting = claims.filter(fits);
    return [
      ...new Set([...fitting.slice(0, SAMPLED_CLAIMS_MAX), ...fitting.slice(-SAMPLED_CLAIMS_MAX)]),
    ];
  };
  const found = await findAccounts(node, {
    jobs: sampleClaims(({ isEscrow }) => isEscrow),
    payments: sampleClaims(({ type }) => type === 'settlement.settled'),
  });
  if (found !== undefined || claims.length === 0) return found;
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: 'The node has no transaction of the feed. Specify the escrow with --escrow.',
  });
}

async function readWithRetry<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (thrown) {
      if (tries >= READ_ATTEMPTS_MAX) throw thrown;
      await sleep(RETRY_MS / tries);
    }
  }
}

function emptyResult(claims: readonly Claim[], isWhole: boolean): BooksAuditResult {
  const zero = 0n;
  return {
    in: zero,
    toldIn: zero,
    paidOut: zero,
    refunded: zero,
    kept: zero,
    held: zero,
    openJobs: zero,
    owed: zero,
    unaccounted: zero,
    untoldOut: zero,
    thirdPartyJobs: 0,
    differences: [],
    accounts: null,
    block: 0,
    events: claims.length,
    isWhole,
    isBalanced: isWhole,
  };
}
