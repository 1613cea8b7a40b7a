import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { AppError } from '../domain/common/error.ts';
import { type Balance, balanceBooks, listUntoldFundings } from './balance-books.ts';
import {
  accountsOf,
  type BookAccounts,
  hasAllLogs,
  openNode,
  readChainBooks,
} from './chain-books.ts';
import { type Claim, readClaims } from './event-claims.ts';
import { findAccounts, findOutsiders } from './find-accounts.ts';

/** Input of an audit of the books. */
export interface AuditOrder {
  readonly rpcUrl: string;
  readonly eventsUrl: string;
  /** Found in the feed and on the chain if absent. */
  readonly escrow?: Hex;
  readonly fromBlock: number;
  /** Maximum lag of the feed behind the chain, in milliseconds. */
  readonly waitMs: number;
}

/** Result of an audit of the books. */
export interface Audited extends Balance {
  /** `null` if the feed contains no payments. */
  readonly accounts: BookAccounts | null;
  readonly block: number;
  readonly events: number;
  /** False if the node has pruned blocks, so that the result is incomplete. */
  readonly isWhole: boolean;
  readonly isBalanced: boolean;
}

const AGAIN_MS = 500;
/** Maximum number of attempts at a node whose replicas may lack the latest block. */
const READ_TRIES_MAX = 20;
/**
 * Number of oldest and of latest claims used to find the accounts. Transactions of third parties
 * may also contain events of their own contracts.
 */
const NAMED_MAX = 5;

/**
 * Audits the books from chain logs and the public feed only. It checks that every micro-dollar
 * received was paid out, refunded, kept or is held. It waits for late feed events.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`, `EGRESS_FAILED`
 */
export async function auditBooks(order: AuditOrder): Promise<Audited> {
  const deadline = performance.now() + order.waitMs;
  for (;;) {
    const audited = await auditOnce(order);
    if (audited.isBalanced || performance.now() >= deadline) return audited;
    await sleep(AGAIN_MS);
  }
}

async function auditOnce(order: AuditOrder): Promise<Audited> {
  const node = openNode(order.rpcUrl);
  const isWhole = order.fromBlock > 0 || (await hasAllLogs(node));
  const early = await readClaims(order.eventsUrl);
  const accounts = await accountsFor(order, early);
  if (accounts === undefined) return nothing(early, isWhole);
  const books = await standing(() => readChainBooks(node, accounts, order.fromBlock));
  // Claims are read after the chain, because the feed may lag behind it.
  const claims = await readClaims(order.eventsUrl);
  const known = new Set(early.map(({ seq }) => seq));
  const moved = new Set(books.movements.map(({ transaction }) => transaction));
  // A claim added in between counts only if its chain movement was read.
  const seen = claims.filter(({ seq, transaction }) => known.has(seq) || moved.has(transaction));
  const outside = await findOutsiders(node, accounts, listUntoldFundings(books, seen));
  const balance = balanceBooks(books, seen, outside);
  const isBalanced = isWhole && balance.differences.length === 0;
  return {
    ...balance,
    ...{ accounts, block: books.head, events: claims.length, isWhole, isBalanced },
  };
}

async function accountsFor(
  { rpcUrl, escrow }: AuditOrder,
  claims: readonly Claim[],
): Promise<BookAccounts | undefined> {
  const node = openNode(rpcUrl);
  if (escrow !== undefined) return accountsOf(node, escrow);
  const named = (fits: (claim: Claim) => boolean): readonly Claim[] => {
    const fitting = claims.filter(fits);
    return [...new Set([...fitting.slice(0, NAMED_MAX), ...fitting.slice(-NAMED_MAX)])];
  };
  const found = await findAccounts(node, {
    jobs: named(({ isEscrow }) => isEscrow),
    payments: named(({ type }) => type === 'settlement.settled'),
  });
  if (found !== undefined || claims.length === 0) return found;
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: 'The node has no transaction of the feed. Specify the escrow with --escrow.',
  });
}

async function standing<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (thrown) {
      if (tries >= READ_TRIES_MAX) throw thrown;
      await sleep(AGAIN_MS / tries);
    }
  }
}

function nothing(claims: readonly Claim[], isWhole: boolean): Audited {
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
    jobsOfOthers: 0,
    differences: [],
    accounts: null,
    block: 0,
    events: claims.length,
    isWhole,
    isBalanced: isWhole,
  };
}
