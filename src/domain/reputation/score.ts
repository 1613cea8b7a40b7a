import { microUsd } from '../common/money.ts';
import { DAY_MS } from '../common/time.ts';

/** Most points of each part; together 100. */
export const PARTS = { volume: 30, quality: 40, diversity: 15, chain: 15 } as const;

/** Points from which a badge is given. */
export const BADGES = { gold: 85, silver: 70, bronze: 50 } as const;

/** A badge, or that there is none. */
export type Badge = keyof typeof BADGES | 'none';

/** Constants of the formula; docs/reputation.md says what each is for. Money in micro-dollars. */
export const FORMULA = {
  /** A job counts for at most this many times the fee that was paid for it. */
  feeMultiple: 5n,
  /** A job weighs no more than one of this value. */
  jobWeightMax: microUsd('20'),
  /** Doubt that everyone begins with: as much weight again must be shown for half of the points. */
  doubt: microUsd('100'),
  /** Value at which half of what volume can give is reached. */
  volumeHalf: microUsd('500'),
  /** Volume reaches its most at ten times that. */
  volumeTenths: 11n,
  /** A counterparty counts in full from this value on. */
  counterpartyValue: microUsd('5'),
  /** So many full counterparties give all points of diversity. */
  counterparties: 10n,
  /** Of the points of `chain`: those for escrowed work; the others are for age. */
  escrowPoints: 10n,
  /** Age of the record that gives all points for age. */
  ageFullMs: 90 * DAY_MS,
  /** A lost dispute weighs as much against an agent as so many jobs of its price for it. */
  lostDisputeWeight: 3n,
  /** Every point has cost at least this much in fees: it follows from the other constants. */
  pointFeeMin: microUsd('0.2'),
} as const;

/** Sums over the jobs that count. Money in micro-dollars, times in milliseconds. */
export interface CountedWork {
  /** Values of the jobs. */
  readonly value: bigint;
  /** Weights of the jobs. */
  readonly weight: bigint;
  /** Weights of those that were funded through the escrow. */
  readonly escrowedWeight: bigint;
  /** Values by counterparty, each at most `counterpartyValue`. */
  readonly counterpartyValue: bigint;
  /** Weight of failures. */
  readonly badWeight: bigint;
  /** From the first settled job to the last. */
  readonly ageMs: number;
}

/** Thousandths of a point by part. */
export type PartPoints = Readonly<Record<keyof typeof PARTS, bigint>>;

const MILLI = 1_000n;

/** What a job counts for: its price, as far as the fee of the service was paid on it. */
export function countedValue(price: bigint, fee: bigint): bigint {
  return least(price, fee * FORMULA.feeMultiple);
}

/** How much a job weighs in quality. */
export function weightOf(value: bigint): bigint {
  return least(value, FORMULA.jobWeightMax);
}

/**
 * The points of each part, in thousandths. All of it is whole-number arithmetic, rounded down, so
 * that every program comes to the same result. Without work that counts all parts are 0.
 */
export function partsOf(work: CountedWork): PartPoints {
  const { value, weight, escrowedWeight, counterpartyValue, badWeight } = work;
  const shown = weight + badWeight + FORMULA.doubt;
  const ageMs = BigInt(Math.min(work.ageMs, FORMULA.ageFullMs));
  const volumeMax = BigInt(PARTS.volume) * MILLI;
  const escrowMax = FORMULA.escrowPoints * MILLI;
  const ageMax = BigInt(PARTS.chain) * MILLI - escrowMax;
  const full = FORMULA.counterparties * FORMULA.counterpartyValue;
  const reach = (volumeMax * FORMULA.volumeTenths) / 10n;
  return {
    volume: least(volumeMax, (reach * value) / (value + FORMULA.volumeHalf)),
    quality: (BigInt(PARTS.quality) * MILLI * weight) / shown,
    diversity: (BigInt(PARTS.diversity) * MILLI * least(full, counterpartyValue)) / full,
    chain:
      (escrowMax * escrowedWeight) / shown +
      (ageMax * ageMs * weight) / (BigInt(FORMULA.ageFullMs) * shown),
  };
}

/** Whole points, from 0 to 100. */
export function scoreOf(parts: PartPoints): number {
  const { volume, quality, diversity, chain } = parts;
  return Number((volume + quality + diversity + chain) / MILLI);
}

/** The badge of a score. */
export function badgeOf(score: number): Badge {
  if (score >= BADGES.gold) return 'gold';
  if (score >= BADGES.silver) return 'silver';
  return score >= BADGES.bronze ? 'bronze' : 'none';
}

/** The smaller of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
