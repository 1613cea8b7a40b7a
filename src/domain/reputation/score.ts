import { parseUsd } from '../common/money.ts';
import { DAY_MS } from '../common/time.ts';

/** Maximum points of each part, 100 in total. */
export const PARTS = { volume: 30, quality: 40, diversity: 15, chain: 15 } as const;

/** Minimum score of each badge. */
export const BADGES = { gold: 85, silver: 70, bronze: 50 } as const;

/** A badge, or `none`. */
export type Badge = keyof typeof BADGES | 'none';

/** Constants of the formula, explained in docs/reputation.md. Amounts in micro-dollars. */
export const FORMULA = {
  /** The value of a job is at most this multiple of its fee. */
  feeMultiple: 5n,
  /** Maximum weight of a single job. */
  jobWeightMax: parseUsd('20'),
  /** Initial doubt. A wallet needs this much weight to reach half of the points. */
  doubt: parseUsd('100'),
  /** Value that gives half of the reachable volume points. */
  volumeHalf: parseUsd('500'),
  /** Scales volume so that its maximum is reached at ten times `volumeHalf`. */
  volumeTenths: 11n,
  /** Value from which a counterparty counts fully. */
  counterpartyValue: parseUsd('5'),
  /** Number of full counterparties for all diversity points. */
  counterparties: 10n,
  /** Points of `chain` for escrowed work; the rest is for age. */
  escrowPoints: 10n,
  /** Age of the record that gives all age points. */
  ageFullMs: 90 * DAY_MS,
  /** A lost dispute weighs as much as this many jobs of the same price. */
  lostDisputeWeight: 3n,
  /** Minimum cost of a point in fees. It follows from the other constants. */
  pointFeeMin: parseUsd('0.2'),
} as const;

/** Sums over the counted jobs. Amounts in micro-dollars, times in milliseconds. */
export interface CountedWork {
  /** Total value of the jobs. */
  readonly value: bigint;
  /** Total weight of the jobs. */
  readonly weight: bigint;
  /** Total weight of the jobs funded through the escrow. */
  readonly escrowedWeight: bigint;
  /** Total value by counterparty, each capped at `counterpartyValue`. */
  readonly counterpartyValue: bigint;
  /** Total weight of failures. */
  readonly badWeight: bigint;
  /** Time from the first to the last settled job. */
  readonly ageMs: number;
}

/** Points of each part, in thousandths. */
export type PartPoints = Readonly<Record<keyof typeof PARTS, bigint>>;

const MILLI = 1_000n;

/** Returns the counted value of a job: its price, capped by the fee paid for it. */
export function computeCountedValue(price: bigint, fee: bigint): bigint {
  return minOf(price, fee * FORMULA.feeMultiple);
}

/** Returns the quality weight of a job. */
export function computeWeight(value: bigint): bigint {
  return minOf(value, FORMULA.jobWeightMax);
}

/**
 * Computes the points of each part, in thousandths. Integer arithmetic, rounded down, so that every
 * implementation gets the same result. Without counted work all parts are 0.
 */
export function computeParts(work: CountedWork): PartPoints {
  const { value, weight, escrowedWeight, counterpartyValue, badWeight } = work;
  const denominator = weight + badWeight + FORMULA.doubt;
  const ageMs = BigInt(Math.min(work.ageMs, FORMULA.ageFullMs));
  const volumeMax = BigInt(PARTS.volume) * MILLI;
  const escrowMax = FORMULA.escrowPoints * MILLI;
  const ageMax = BigInt(PARTS.chain) * MILLI - escrowMax;
  const fullDiversity = FORMULA.counterparties * FORMULA.counterpartyValue;
  const volumeReach = (volumeMax * FORMULA.volumeTenths) / 10n;
  return {
    volume: minOf(volumeMax, (volumeReach * value) / (value + FORMULA.volumeHalf)),
    quality: (BigInt(PARTS.quality) * MILLI * weight) / denominator,
    diversity:
      (BigInt(PARTS.diversity) * MILLI * minOf(fullDiversity, counterpartyValue)) / fullDiversity,
    chain:
      (escrowMax * escrowedWeight) / denominator +
      (ageMax * ageMs * weight) / (BigInt(FORMULA.ageFullMs) * denominator),
  };
}

/** Returns the score as whole points, from 0 to 100. */
export function computeScore(parts: PartPoints): number {
  const { volume, quality, diversity, chain } = parts;
  return Number((volume + quality + diversity + chain) / MILLI);
}

/** Returns the badge of a score. */
export function toBadge(score: number): Badge {
  if (score >= BADGES.gold) return 'gold';
  if (score >= BADGES.silver) return 'silver';
  return score >= BADGES.bronze ? 'bronze' : 'none';
}

/** Returns the smaller of two amounts. */
export function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
