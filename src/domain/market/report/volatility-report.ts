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
  realized_vol_annualized: DataValue.describe('Standard deviation of a year, in percent.'),
  periods_per_year: z.number().describe('365 days: these markets never close.'),
  by_estimator: z
    .record(z.string(), DecimalText)
    .describe('The same figure by every estimator, in percent of a year.'),
  n: z.int().describe('Finished candles that it was made from.'),
  gaps: z.array(Gap),
  atr: DataValue.describe('Average true range of 14 candles (Wilder).'),
  max_drawdown_pct: DecimalText.describe('Of closes, from a high.'),
  thresholds: z.array(
    z.object({
      level: DecimalText,
      direction: z.enum(['above', 'below']),
      breached: z.boolean(),
      distance: DecimalText.describe('Level less the figure.'),
    }),
  ),
});
/** Report on the volatility of a pair. */
export type VolatilityReport = z.infer<typeof VolatilityReport>;
