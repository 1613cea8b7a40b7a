import { z } from 'zod';
import { Instant } from '../../data/source.ts';
import { DataValue, DecimalText } from '../../data/value.ts';

/** A trade plan: rule, entry, exit, size, risk and backtest. */
export const Play = z.object({
  instrument: z.string(),
  rule: z.enum(['breakout', 'pullback', 'reversion']),
  thesis: z.string().describe('Description of the rule, without further interpretation.'),
  entry: z.object({ type: z.enum(['stop', 'limit']), level: DataValue, until: Instant }),
  exit: z.object({
    take_profit: z.array(DataValue).min(1),
    stop_loss: DataValue,
    time_stop: Instant.describe('Time at which the trade is closed in any case.'),
  }),
  size_pct: DecimalText.describe('Percent of capital: risk-level stake / stop distance.'),
  risk_score: z.int().min(0).max(100),
  risk_components: z.array(
    z.object({
      name: z.string(),
      score: z.int().min(0).max(100),
      weight: z.number(),
      formula: z.string(),
      known: z.boolean().describe('Unknown values score 100.'),
    }),
  ),
  void_when: z.array(z.string()).min(1),
  inputs: z.array(z.object({ name: z.string(), value: DataValue })),
  backtest: z.object({
    trades: z.int().nonnegative(),
    hit_rate_pct: DecimalText.nullable().describe('null for fewer than 10 trades.'),
    mean_return_pct: DecimalText.nullable(),
    from: Instant,
    to: Instant,
    candles: z.int(),
    candles_missing: z.int(),
    costs_pct_per_side: DecimalText,
  }),
});
/** A trade plan. */
export type Play = z.infer<typeof Play>;

/** Report on the trade plans in a universe of instruments. */
export const PlayReport = z.object({
  risk: z.enum(['low', 'medium', 'high']),
  risk_score_max: z.int(),
  plays: z.array(Play),
  without_play: z.array(
    z.object({
      instrument: z.string(),
      why: z.enum(['no_rule_applies', 'risk_above_limit', 'no_data']),
      risk_score: z.int().nullable(),
    }),
  ),
});
/** Report on the trade plans in a universe of instruments. */
export type PlayReport = z.infer<typeof PlayReport>;
