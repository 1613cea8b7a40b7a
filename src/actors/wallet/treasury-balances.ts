import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { type MicroUsdText, type Money, money } from '../../domain/common/money.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';

/** Maximum number of jobs checked on the chain when the local records lag behind. */
export const LAGGING_JOBS_MAX = 200;

/** Dependencies of the balances. */
export interface TreasuryParts {
  readonly chain: Pick<PaymentChain, 'facts' | 'balance'>;
  readonly trust: Pick<TrustChain, 'contracts' | 'escrow' | 'undone'>;
  /** Lists jobs whose money is in escrow according to the local records. */
  openJobs(): Promise<readonly OpenJob[]>;
}

/** A job whose money is in escrow. */
export interface OpenJob {
  readonly escrowKey: string;
  readonly amount: MicroUsdText;
}

/**
 * Creates a reader of the live treasury and escrow balances and of the escrow's open obligations.
 * The escrow is solvent while its balance covers the open jobs and no reported transaction has been
 * undone. Concurrent calls share one read.
 *
 * @returns A function that rejects with `CHAIN_UNAVAILABLE` if the chain is down.
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
  // Read the local records first: money that arrives before the contract is read does no harm.
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
    /** Reported transactions that a chain reorganization has undone. */
    ...(undone.length === 0 ? {} : { undone }),
    as_of_block: held.block,
  };
}

const NOTHING = { block: null, balance: '0', held: '0', owed: '0', unaccounted: '0' } as const;

/** Excludes jobs that have ended on the chain, because local records lag by some blocks. */
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
