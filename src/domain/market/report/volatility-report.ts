import { z } from 'zod';
import { Instant } from '../../data/source.ts';
import { DataValue, DecimalText } from '../../data/value.ts';

/** A time range without candles. */
export const Gap = z.object({ from: Instant, to: Instant, missing: z.int().positive() });

/** Report on the volatility of a pair. */
export const VolatilityReport = z.object({
  pair: z.string(),
  venue: z.string(),
  window: z.string(),
  interval: z.string(),
  estimator: z.string(),
  realized_vol_annualized: DataValue.describe('Annualized standard deviation, in percent.'),
  periods_per_year: z.number().describe('Based on 365 days, because these markets never close.'),
  by_estimator: z
    .record(z.string(), DecimalText)
    .describe('Annualized volatility by every estimator, in percent.'),
  n: z.int().describe('Number of finished candles used.'),
  gaps: z.array(Gap),
  atr: DataValue.describe('Average true range over 14 candles (Wilder).'),
  max_drawdown_pct: DecimalText.describe('Maximum drawdown of closes, in percent.'),
  thresholds: z.array(
    z.object({
      level: DecimalText,
      direction: z.enum(['above', 'below']),
      breached: z.boolean(),
      distance: DecimalText.describe('Level minus volatility.'),
    }),
  ),
});
/** Report on the volatility of a pair. */
export type VolatilityReport = z.infer<typeof VolatilityReport>;
