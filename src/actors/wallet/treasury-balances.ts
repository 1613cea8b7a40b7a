import type { JsonObject } from '../../domain/common/json.ts';
import { type MicroUsdText, type Money, toMoney } from '../../domain/common/money.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { Services } from '../common/services.ts';

/** Maximum number of jobs checked on the chain when the local records lag behind. */
export const LAGGING_JOBS_MAX = 200;

type Ports = Pick<Services, 'trust'> & {
  readonly chain: Pick<PaymentChain, 'balance' | 'facts'>;
  /** Lists jobs whose money is in escrow according to the local records. */
  openJobs(): Promise<readonly OpenJob[]>;
};

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
export function createTreasuryBalances(parts: Ports): () => Promise<JsonObject> {
  let reading: Promise<JsonObject> | undefined;
  return () => {
    reading ??= readBalances(parts).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

async function readBalances({ chain, trust, openJobs }: Ports): Promise<JsonObject> {
  const { network, token, treasury } = chain.facts;
  const { escrow: address } = trust.contracts;
  // Read the local records first: money that arrives before the contract is read does no harm.
  const booked = await openJobs();
  const [balance, holdings] = await Promise.all([
    chain.balance(treasury),
    address === null ? undefined : trust.escrow.readHoldings(),
  ]);
  const held = holdings ?? NO_HOLDINGS;
  const isCovered = sumAmounts(booked) <= BigInt(held.balance);
  const undone = [...(trust.revertedTransactions?.() ?? [])];
  const open = isCovered ? booked : await excludeEnded(trust, booked);
  return {
    chain: network,
    token,
    treasury: { address: treasury, balance: moneyFields(balance) },
    escrow:
      address === null
        ? null
        : {
            address,
            balance: moneyFields(held.balance),
            held: moneyFields(held.held),
            owed: moneyFields(held.owed),
            unaccounted: moneyFields(held.unaccounted),
          },
    open_jobs: { count: open.length, amount: moneyFields(sumAmounts(open).toString()) },
    solvent: undone.length === 0 && sumAmounts(open) <= BigInt(held.balance),
    /** Reported transactions that a chain reorganization has undone. */
    ...(undone.length === 0 ? {} : { undone }),
    as_of_block: held.block,
  };
}

const NO_HOLDINGS = { block: null, balance: '0', held: '0', owed: '0', unaccounted: '0' } as const;

/** Excludes jobs that have ended on the chain, because local records lag by some blocks. */
async function excludeEnded(
  { escrow }: Ports['trust'],
  booked: readonly OpenJob[],
): Promise<readonly OpenJob[]> {
  const open: OpenJob[] = [];
  for (const [at, job] of booked.entries()) {
    const state = at < LAGGING_JOBS_MAX ? (await escrow.readJob(job.escrowKey)).state : undefined;
    if (state !== 'released' && state !== 'refunded') open.push(job);
  }
  return open;
}

function sumAmounts(jobs: readonly OpenJob[]): bigint {
  return jobs.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

function moneyFields(amount: MicroUsdText): { [Name in keyof Money]: Money[Name] } {
  return toMoney(amount);
}
