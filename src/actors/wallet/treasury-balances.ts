import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { type MicroUsdText, type Money, money } from '../../domain/common/money.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';

/** Jobs that the chain is asked about where it has moved on and our books have not yet. */
export const LAGGING_JOBS_MAX = 200;

/** What the balances are read from. */
export interface TreasuryParts {
  readonly chain: Pick<PaymentChain, 'facts' | 'balance'>;
  readonly trust: Pick<TrustChain, 'contracts' | 'escrow' | 'undone'>;
  /** Jobs whose money is in the escrow, by our own books. */
  openJobs(): Promise<readonly OpenJob[]>;
}

/** A job that holds money in the escrow. */
export interface OpenJob {
  readonly escrowKey: string;
  readonly amount: MicroUsdText;
}

/**
 * Reads what treasury and escrow hold, live, beside what the open jobs of our own books need: it is
 * solvent while the contract has at least that, and while what was told of jobs that have ended is
 * still on the chain. Calls at one time share one read.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`, through the answer.
 */
export function treasuryBalances(parts: TreasuryParts): () => Promise<JsonObject> {
  let reading: Promise<JsonObject> | undefined;
  return () => {
    reading ??= read(parts).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function read({ chain, trust, openJobs }: TreasuryParts): Promise<JsonObject> {
  const { network, token, treasury } = chain.facts;
  const { escrow: address } = trust.contracts;
  // The books are read first: what is funded between them and the contract does no harm.
  const booked = await openJobs();
  const [balance, holdings] = await Promise.all([
    chain.balance(treasury),
    address === null ? undefined : trust.escrow.holdings(),
  ]);
  const held = holdings ?? NOTHING;
  const isCovered = total(booked) <= BigInt(held.balance);
  const undone = [...(trust.undone?.() ?? [])];
  const open = isCovered ? booked : await withoutEnded(trust, booked);
  return {
    chain: network,
    token,
    treasury: { address: treasury, balance: shown(balance) },
    escrow:
      address === null
        ? null
        : {
            address,
            balance: shown(held.balance),
            held: shown(held.held),
            owed: shown(held.owed),
            unaccounted: shown(held.unaccounted),
          },
    open_jobs: { count: open.length, amount: shown(total(open).toString()) },
    solvent: undone.length === 0 && total(open) <= BigInt(held.balance),
    /** Transactions that were told and are gone: the chain was reorganised. */
    ...(undone.length === 0 ? {} : { undone }),
    as_of_block: held.block,
  };
}

const NOTHING = { block: null, balance: '0', held: '0', owed: '0', unaccounted: '0' } as const;

/** Our books follow the chain by some blocks: jobs that are over there hold nothing any more. */
async function withoutEnded(
  { escrow }: TreasuryParts['trust'],
  booked: readonly OpenJob[],
): Promise<readonly OpenJob[]> {
  const open: OpenJob[] = [];
  for (const [at, job] of booked.entries()) {
    const state = at < LAGGING_JOBS_MAX ? (await escrow.job(job.escrowKey)).state : undefined;
    if (state !== 'released' && state !== 'refunded') open.push(job);
  }
  return open;
}

function total(jobs: readonly OpenJob[]): bigint {
  return jobs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function shown(amount: MicroUsdText): { [Name in keyof Money]: Money[Name] } {
  return money(amount);
}
