import { formatUsd } from '../common/money.ts';
import {
  badgeOf,
  type CountedWork,
  FORMULA,
  least,
  type PartPoints,
  partsOf,
  scoreOf,
} from './score.ts';
import type { Pair, Standing } from './standing.ts';
import type { Exclusion, Reputation } from './view.ts';

/** The pairs in which a wallet is the provider, by whether they count. */
export interface SortedPairs {
  readonly counted: readonly Pair[];
  readonly circular: readonly Pair[];
  readonly own: readonly Pair[];
}

/** Input of a track record. */
export interface RecordFacts {
  readonly wallet: string;
  readonly standing: Standing;
  readonly sorted: SortedPairs;
  /** Number of events read. */
  readonly events: number;
}

/** Builds the track record of a wallet from its sums. */
export function recordOf({ wallet, standing, sorted, events }: RecordFacts): Reputation {
  const { counted, circular, own } = sorted;
  const { disputes, lostDisputes, refunds, unfulfilled, undelivered, bought } = standing;
  const parts = partsOf(workOf(counted, standing.badWeight));
  const score = scoreOf(parts);
  return {
    wallet,
    score,
    badge: badgeOf(score),
    parts: pointsOf(parts),
    ...historyOf(counted),
    disputes,
    lost_disputes: lostDisputes,
    refunds,
    unfulfilled,
    excluded: excludedOf({
      self_dealing: totalsOf(own),
      circular_payments: totalsOf(circular),
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

function workOf(pairs: readonly Pair[], badWeight: bigint): CountedWork {
  const value = sum(pairs, (pair) => pair.value);
  const most = FORMULA.counterpartyValue;
  return {
    value,
    weight: sum(pairs, (pair) => pair.weight),
    escrowedWeight: sum(pairs, (pair) => pair.escrowedWeight),
    counterpartyValue: sum(pairs, (pair) => least(pair.value, most)),
    badWeight,
    ageMs: value === 0n ? 0 : lastOf(pairs) - firstOf(pairs),
  };
}

function historyOf(pairs: readonly Pair[]) {
  const { jobs, paid } = totalsOf(pairs);
  return {
    settled_jobs: jobs,
    settled_usd: formatUsd(paid),
    fees_paid_usd: formatUsd(sum(pairs, (pair) => pair.fees)),
    distinct_counterparties: pairs.length,
    first_settled_at: jobs === 0 ? null : instant(firstOf(pairs)),
    last_settled_at: jobs === 0 ? null : instant(lastOf(pairs)),
  };
}

function excludedOf(totals: Readonly<Record<Exclusion, Totals>>): Reputation['excluded'] {
  const all = Object.entries(totals) as [Exclusion, Totals][];
  const reasons = all
    .filter(([, { jobs }]) => jobs > 0)
    .map(([reason, { jobs, paid }]) => ({ reason, jobs, usd: formatUsd(paid) }));
  return { jobs: reasons.reduce((count, { jobs }) => count + jobs, 0), reasons };
}

function totalsOf(pairs: readonly Pair[]): Totals {
  const jobs = pairs.reduce((count, pair) => count + pair.jobs, 0);
  return { jobs, paid: sum(pairs, (pair) => pair.paid) };
}

function pointsOf(parts: PartPoints): Reputation['parts'] {
  const points = (milli: bigint): number => Number(milli) / 1_000;
  return {
    volume: points(parts.volume),
    quality: points(parts.quality),
    diversity: points(parts.diversity),
    chain: points(parts.chain),
  };
}

function firstOf(pairs: readonly Pair[]): number {
  return pairs.reduce((at, { firstAt }) => Math.min(at, firstAt), Number.POSITIVE_INFINITY);
}

function lastOf(pairs: readonly Pair[]): number {
  return pairs.reduce((at, { lastAt }) => Math.max(at, lastAt), 0);
}

function sum(pairs: readonly Pair[], of: (pair: Pair) => bigint): bigint {
  return pairs.reduce((total, pair) => total + of(pair), 0n);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
