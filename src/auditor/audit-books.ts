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

/** What is audited. */
export interface AuditOrder {
  readonly rpcUrl: string;
  readonly eventsUrl: string;
  /** Found from the feed and the chain unless given. */
  readonly escrow?: Hex;
  readonly fromBlock: number;
  /** How long the feed may lag behind the chain, in milliseconds. */
  readonly waitMs: number;
}

/** What an audit came to. */
export interface Audited extends Balance {
  /** `null` where the feed tells of no money at all. */
  readonly accounts: BookAccounts | null;
  readonly block: number;
  readonly events: number;
  /** False where the node has forgotten blocks, so that not everything can be told. */
  readonly isWhole: boolean;
  readonly isBalanced: boolean;
}

const AGAIN_MS = 500;
/** Tries at a node whose replicas may not know the newest block yet. */
const READ_TRIES_MAX = 20;
/**
 * Of the oldest claims and of the newest, so many are asked for in order to find the accounts. In a
 * transaction that strangers have sent, contracts of theirs may speak too.
 */
const NAMED_MAX = 5;

/**
 * Reads the chain's logs and the public feed, and nothing else, and says whether every micro-dollar
 * that came in was paid out, refunded, kept or is held. What the feed tells late is waited for.
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
  // Read after the chain: what is on the chain by then is told by now, or a little later.
  const claims = await readClaims(order.eventsUrl);
  const known = new Set(early.map(({ seq }) => seq));
  const moved = new Set(books.movements.map(({ transaction }) => transaction));
  // A claim that came in between is checked where the chain's part of it was read.
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
    message: 'The node knows no transaction of the feed. Name the escrow with --escrow.',
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
