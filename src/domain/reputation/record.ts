import { formatUsd } from '../common/money.ts';
import { toIsoTime } from '../common/time.ts';
import {
  type CountedWork,
  computeParts,
  computeScore,
  FORMULA,
  minOf,
  type PartPoints,
  toBadge,
} from './score.ts';
import type { Exclusion, Reputation } from './view.ts';
import type { PairTotals, WalletTotals } from './wallet-totals.ts';

/** The pairs in which a wallet is the provider, by whether they count. */
export interface ClassifiedPairs {
  readonly counted: readonly PairTotals[];
  readonly circular: readonly PairTotals[];
  readonly own: readonly PairTotals[];
}

/** Input of a track record. */
export interface RecordInput {
  readonly wallet: string;
  readonly standing: WalletTotals;
  readonly sorted: ClassifiedPairs;
  /** Number of events read. */
  readonly events: number;
}

/** Builds the track record of a wallet from its sums. */
export function buildReputation({ wallet, standing, sorted, events }: RecordInput): Reputation {
  const { counted, circular, own } = sorted;
  const { disputes, lostDisputes, refunds, unfulfilled, undelivered, bought } = standing;
  const parts = computeParts(sumCountedWork(counted, standing.badWeight));
  const score = computeScore(parts);
  return {
    wallet,
    score,
    badge: toBadge(score),
    parts: toPoints(parts),
    ...buildHistory(counted),
    disputes,
    lost_disputes: lostDisputes,
    refunds,
    unfulfilled,
    excluded: buildExcluded({
      self_dealing: sumPairs(own),
      circular_payments: sumPairs(circular),
      nothing_delivered: undelivered,
    }),
    as_buyer: {
      settled_jobs: bought.jobs,
      settled_usd: formatUsd(bought.paid),
      disputes: bought.disputes,
      lost_disputes: bought.lostDisputes,
      left_unpaid: bought.leftUnpaid,
    },
    as_of: { events },
  };
}

interface Totals {
  readonly jobs: number;
  readonly paid: bigint;
}

function sumCountedWork(pairs: readonly PairTotals[], badWeight: bigint): CountedWork {
  const value = sum(pairs, (pair) => pair.value);
  const cap = FORMULA.counterpartyValue;
  return {
    value,
    weight: sum(pairs, (pair) => pair.weight),
    escrowedWeight: sum(pairs, (pair) => pair.escrowedWeight),
    counterpartyValue: sum(pairs, (pair) => minOf(pair.value, cap)),
    badWeight,
    ageMs: value === 0n ? 0 : lastSettledAt(pairs) - firstSettledAt(pairs),
  };
}

function buildHistory(pairs: readonly PairTotals[]) {
  const { jobs, paid } = sumPairs(pairs);
  return {
    settled_jobs: jobs,
    settled_usd: formatUsd(paid),
    fees_paid_usd: formatUsd(sum(pairs, (pair) => pair.fees)),
    distinct_counterparties: pairs.length,
    first_settled_at: jobs === 0 ? null : toIsoTime(firstSettledAt(pairs)),
    last_settled_at: jobs === 0 ? null : toIsoTime(lastSettledAt(pairs)),
  };
}

function buildExcluded(totals: Readonly<Record<Exclusion, Totals>>): Reputation['excluded'] {
  const all = Object.entries(totals) as [Exclusion, Totals][];
  const reasons = all
    .filter(([, { jobs }]) => jobs > 0)
    .map(([reason, { jobs, paid }]) => ({ reason, jobs, usd: formatUsd(paid) }));
  return { jobs: reasons.reduce((count, { jobs }) => count + jobs, 0), reasons };
}

function sumPairs(pairs: readonly PairTotals[]): Totals {
  const jobs = pairs.reduce((count, pair) => count + pair.jobs, 0);
  return { jobs, paid: sum(pairs, (pair) => pair.paid) };
}

function toPoints(parts: PartPoints): Reputation['parts'] {
  const points = (milli: bigint): number => Number(milli) / 1_000;
  return {
    volume: points(parts.volume),
    quality: points(parts.quality),
    diversity: points(parts.diversity),
    chain: points(parts.chain),
  };
}

function firstSettledAt(pairs: readonly PairTotals[]): number {
  return pairs.reduce((at, { firstAt }) => Math.min(at, firstAt), Number.POSITIVE_INFINITY);
}

function lastSettledAt(pairs: readonly PairTotals[]): number {
  return pairs.reduce((at, { lastAt }) => Math.max(at, lastAt), 0);
}

function sum(pairs: readonly PairTotals[], of: (pair: PairTotals) => bigint): bigint {
  return pairs.reduce((total, pair) => total + of(pair), 0n);
}
