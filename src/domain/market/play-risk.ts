/** The risk level of a caller. */
export type RiskLevel = 'low' | 'medium' | 'high';

/**
 * Limits per risk level: maximum score, share of capital at risk and position size, both in
 * percent.
 */
export const RISK_LIMITS: Readonly<
  Record<RiskLevel, { readonly score: number; readonly stake: number; readonly size: number }>
> = {
  low: { score: 35, stake: 0.5, size: 5 },
  medium: { score: 55, stake: 1, size: 10 },
  high: { score: 75, stake: 2, size: 20 },
};

/** Inputs of a risk score. Ratios unless stated otherwise; `null` is unknown. */
export interface RiskInputs {
  readonly volatility: number;
  readonly fall: number;
  /** Daily volume in dollars over all venues that responded. */
  readonly volumeUsd: number | null;
  /** Share of the largest venue in that volume. */
  readonly topShare: number | null;
  /** Relative distance from entry to stop. */
  readonly stopDistance: number;
}

/** One component of a risk score; 0 is no risk, 100 is full risk. */
export interface RiskComponent {
  readonly name: string;
  readonly score: number;
  readonly weight: number;
  readonly formula: string;
}

/**
 * Computes the risk score of a play, 0 to 100, and its components. Unknown inputs count as full
 * risk.
 */
export function computeRisk(facts: RiskInputs): {
  readonly score: number;
  readonly parts: readonly RiskComponent[];
} {
  const { volatility, fall, volumeUsd, topShare, stopDistance } = facts;
  const liquidity = volumeUsd === null ? 100 : ((9 - Math.log10(Math.max(1, volumeUsd))) / 4) * 100;
  const parts: readonly RiskComponent[] = [
    createComponent(
      'volatility',
      0.3,
      (volatility / 1.5) * 100,
      'annualized volatility; 150 % scores 100',
    ),
    createComponent(
      'drawdown',
      0.2,
      (fall / 0.8) * 100,
      'maximum drawdown in the window; 80 % scores 100',
    ),
    createComponent(
      'liquidity',
      0.2,
      liquidity,
      'log of daily volume; USD 1e9 scores 0, USD 1e5 scores 100',
    ),
    createComponent(
      'concentration',
      0.1,
      (topShare ?? 1) * 100,
      'share of the largest venue in the volume',
    ),
    createComponent(
      'stop',
      0.2,
      (stopDistance / 0.2) * 100,
      'distance from entry to stop; 20 % scores 100',
    ),
  ];
  const score = parts.reduce((sum, one) => sum + one.score * one.weight, 0);
  return { score: Math.round(score), parts };
}

/** Returns the position size in percent of capital: stake divided by stop distance, capped. */
export function computePositionSize(appetite: RiskLevel, stopDistance: number): number {
  const { stake, size } = RISK_LIMITS[appetite];
  return Math.min(size, stake / stopDistance);
}

function createComponent(
  name: string,
  weight: number,
  raw: number,
  formula: string,
): RiskComponent {
  return { name, weight, formula, score: Math.round(Math.min(100, Math.max(0, raw))) };
}
